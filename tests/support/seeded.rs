//! Seeded numbers and vectors.

/// SplitMix64: a stated seed gives the same bytes everywhere.
pub struct Seeded(pub u64);

impl Seeded {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A unit vector of uniform components.
    pub fn unit(&mut self, width: usize) -> Vec<f32> {
        let raw: Vec<f64> =
            (0..width).map(|_| (self.next() >> 11) as f64 / (1u64 << 53) as f64 - 0.5).collect();
        let norm = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
        raw.iter().map(|x| (x / norm) as f32).collect()
    }
}
