//! Permits for parsing large batches, which take CPU time and memory.

use std::time::Duration;

use app::{Error, ErrorKind, Grant, Reporter, Shares};
use domain::{BrandId, TokenId};

/// How long a batch waits for a permit before the device is asked to send it again.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Limits concurrent parsers per token, per brand and in total.
pub struct ParserPermits {
    per_token: Shares<TokenId>,
    per_brand: Shares<BrandId>,
}

/// A permit, which is returned when it is dropped.
pub struct ParserPermit {
    _brand_grant: Grant<BrandId>,
    _token_grant: Grant<TokenId>,
}

impl ParserPermits {
    pub fn new(limits: &web::Limits) -> Self {
        Self::with_limits(
            limits.max_ingest_parsers,
            limits.max_ingest_parsers_per_brand,
            limits.max_ingest_parsers_per_token,
        )
    }

    fn with_limits(total: u32, per_brand: u32, per_token: u32) -> Self {
        Self {
            per_token: Shares::new(usize::MAX, per_token as usize),
            per_brand: Shares::new(total as usize, per_brand as usize),
        }
    }

    /// Waits for a permit. A token waits for its own batches first, then for those of its brand, so that it does not delay others.
    pub async fn acquire(&self, reporter: &Reporter) -> Result<ParserPermit, Error> {
        self.acquire_for(reporter.token, reporter.brand()).await
    }

    async fn acquire_for(&self, token: TokenId, brand: BrandId) -> Result<ParserPermit, Error> {
        let place = async {
            let of_token = self.per_token.acquire(token).await;
            ParserPermit { _brand_grant: self.per_brand.acquire(brand).await, _token_grant: of_token }
        };
        tokio::time::timeout(ACQUIRE_TIMEOUT, place).await.map_err(|_| {
            let detail =
                "Too many batches of this device or brand are being processed. Send this one again later.";
            Error::new(ErrorKind::Unavailable, "reading_busy", detail).retry_after(2)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_greedy_token_waits_and_is_refused_alone() {
        let places = ParserPermits::with_limits(4, 3, 2);
        let (greedy, modest, brand, other) = (TokenId(1), TokenId(2), BrandId(1), BrandId(2));
        let _first = places.acquire_for(greedy, brand).await.unwrap();
        let second = places.acquire_for(greedy, brand).await.unwrap();
        let refused = places.acquire_for(greedy, brand).await.err().unwrap();
        assert_eq!((refused.code, refused.retry_after_s), ("reading_busy", Some(2)));
        // Another token of the brand, and another brand, get a permit immediately.
        let started = tokio::time::Instant::now();
        let _of_brand = places.acquire_for(modest, brand).await.unwrap();
        let _of_other = places.acquire_for(TokenId(3), other).await.unwrap();
        assert_eq!(started.elapsed(), Duration::ZERO);
        // A waiter gets the permit that its own token returns.
        let (third, ()) = tokio::join!(places.acquire_for(greedy, brand), async { drop(second) });
        assert!(third.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_greedy_brand_of_many_tokens_leaves_places_to_others() {
        let places = std::sync::Arc::new(ParserPermits::with_limits(4, 3, 2));
        let mut held = Vec::new();
        for token in 1..=3 {
            held.push(places.acquire_for(TokenId(token), BrandId(1)).await.unwrap());
        }
        let mut waiting = tokio::task::JoinSet::new();
        for token in 4..20 {
            let places = std::sync::Arc::clone(&places);
            waiting.spawn(async move { places.acquire_for(TokenId(token), BrandId(1)).await.is_err() });
        }
        tokio::task::yield_now().await;
        let started = tokio::time::Instant::now();
        assert!(places.acquire_for(TokenId(20), BrandId(2)).await.is_ok());
        assert_eq!(started.elapsed(), Duration::ZERO);
        assert!(waiting.join_all().await.into_iter().all(|is_refused| is_refused));
    }
}
