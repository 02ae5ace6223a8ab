//! The description of the outlier method that is part of API responses.

/// The exact method of finding outliers, in words.
pub const FORMULA: &str = "\
Each member is tested against its peers: the other members of its group that have the minimum exposure (at least 5; of \
more than 400, 399 or 400 are sampled evenly by exposure). The peers' counts are modelled as negative binomial: Poisson \
counts whose rates vary between members by a gamma distribution, with mean rate m and squared coefficient of variation \
d, so that a member with exposure t has a mean of m t and a variance of m t + d (m t)^2. For each d from 0.000001 to \
10, on a grid of even steps of ln d over the values with relevant weight, m is the maximum of the peers' likelihood \
with Firth's correction, and v is one divided by the observed information about ln m. The weight of d is its prior, a \
half-Cauchy distribution of the square root of d with scale 2, times the likelihood of the peers at m, times the square \
root of v (the Cox-Reid adjustment). The predictive distribution of the member's count is the mixture, by these \
weights, of negative binomials with mean m t and squared coefficient of variation d + v + d v, so it is wider the fewer \
peers there are. The member's own count is not used. Expected is the mean of that distribution; the interval is its \
central 95 %. p is twice the smaller of the probabilities of a count as low or lower and of one as high or higher, at \
most 1. The score is the standard normal quantile of the probability of a lower count plus half the probability of the \
same count: negative for fewer than expected. The adjusted p is that of Benjamini and Hochberg over all members tested \
in the response: of those below 0.05, at most one in twenty is expected to be there by chance.";
