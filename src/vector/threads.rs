//! The thread pools of the linear-algebra libraries, kept out of the way.

/// Ends the worker threads that OpenBLAS starts when it is loaded.
///
/// They spin for tens of milliseconds before they sleep, which costs a short process more than its
/// work. OpenBLAS starts them again by itself when a multiplication is large enough to use them. With
/// another BLAS this does nothing. Call it first, before any vector is touched.
pub fn calm() {
    // SAFETY: the name is a C string, and the function that OpenBLAS exports under it takes nothing,
    // returns an integer and is safe to call while no multiplication runs.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"blas_thread_shutdown_".as_ptr());
        if !found.is_null() {
            let shutdown: extern "C" fn() -> libc::c_int = std::mem::transmute(found);
            shutdown();
        }
    }
}
