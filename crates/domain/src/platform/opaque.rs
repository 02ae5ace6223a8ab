//! Values whose drop is compiled in one crate.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// A value behind a vtable, for what is expensive to drop. The drop of a plain value is compiled in each crate that drops it or anything that
/// holds it; for a pool of connections that is connecting, TLS and tasks. This one is compiled only where [`Opaque::new`] is called.
pub struct Opaque<T>(Box<dyn Hidden<T>>);

trait Hidden<T>: Send + Sync {
    fn get(&self) -> &T;
    fn get_mut(&mut self) -> &mut T;
    fn into_inner(self: Box<Self>) -> T;
}

impl<T: Send + Sync> Hidden<T> for T {
    fn get(&self) -> &T {
        self
    }

    fn get_mut(&mut self) -> &mut T {
        self
    }

    fn into_inner(self: Box<Self>) -> T {
        *self
    }
}

impl<T: Send + Sync + 'static> Opaque<T> {
    pub fn new(value: T) -> Self {
        Self(Box::new(value))
    }
}

impl<T> Opaque<T> {
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T> Deref for Opaque<T> {
    type Target = T;

    fn deref(&self) -> &T {
        (*self.0).get()
    }
}

impl<T> DerefMut for Opaque<T> {
    fn deref_mut(&mut self) -> &mut T {
        (*self.0).get_mut()
    }
}

impl<T: fmt::Debug> fmt::Debug for Opaque<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn an_opaque_value_is_read_changed_taken_out_and_dropped_like_a_plain_one() {
        let counted = Arc::new(());
        let mut value = Opaque::new((Arc::clone(&counted), 1));
        value.1 += 1;
        assert_eq!((value.1, format!("{value:?}")), (2, "((), 2)".to_owned()));
        let (kept, number) = value.into_inner();
        assert_eq!((Arc::strong_count(&counted), number), (2, 2));
        drop(Opaque::new(kept));
        assert_eq!(Arc::strong_count(&counted), 1);
    }
}
