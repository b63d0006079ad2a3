//! Guards of step 0: sliding-window rate limit, idempotency.
