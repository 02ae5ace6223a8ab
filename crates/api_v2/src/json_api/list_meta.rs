//! The `meta` member of a list of the registry.

/// What is known about the whole list. Present if the request has `page[total]=true` or `filter[after_version]`.
#[web::answer]
pub struct ListMeta {
    /// Total number of resources that match the filters; only with `page[total]=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 42)]
    pub(super) total: Option<i64>,
    /// Only with `filter[after_version]`: the version to pass next time, after the last page. On earlier pages follow the link `next`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1207)]
    pub(super) registry_version: Option<i64>,
    /// Only with `filter[after_version]`, once all resources have been returned: ids of resources that were deleted or are no longer
    /// visible to you. Remove them from your copy. At most `page[size]` of them are on a page; pages without data have the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["31"]))]
    pub(super) gone: Option<Vec<String>>,
}
