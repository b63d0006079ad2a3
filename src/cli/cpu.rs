//! Refuses processors older than the build, before an unknown instruction kills the process.

/// What is missing on this processor, if anything.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub fn missing() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    // The standard macro answers from the build's own flags, so the processor is asked directly.
    let leaf1 = __cpuid(1);
    if __cpuid(0).eax < 7 {
        return Some("AVX2");
    }
    let leaf7 = __cpuid_count(7, 0);
    let (fma, osxsave, avx2, bmi2) =
        (leaf1.ecx >> 12 & 1, leaf1.ecx >> 27 & 1, leaf7.ebx >> 5 & 1, leaf7.ebx >> 8 & 1);
    match (avx2 & osxsave, fma, bmi2) {
        (0, _, _) => Some("AVX2"),
        (_, 0, _) => Some("FMA"),
        (_, _, 0) => Some("BMI2"),
        _ => None,
    }
}

/// What is missing on this processor, if anything.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub fn missing() -> Option<&'static str> {
    None
}
