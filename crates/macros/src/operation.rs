//! `#[operation]`: handlers with their route, whose access and idempotency, as OpenAPI shows them, are those of their code.

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote};
use syn::{Error, FnArg, GenericArgument, ItemFn, PathArguments, Result, Type};

/// The methods that an operation can have, as they are written.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Returns the handler with its route, and what OpenAPI shows of it if `is_documented`. What is wrong is refused in both cases.
pub fn expand(arguments: TokenStream, item: &ItemFn, is_documented: bool) -> Result<TokenStream> {
    let mut arguments = split_at_commas(arguments);
    let path = path_of(&arguments)
        .ok_or_else(|| Error::new_spanned(&item.sig.ident, "an operation has a path, as a literal"))?;
    let method = method_of(&arguments)
        .ok_or_else(|| Error::new_spanned(&item.sig.ident, "an operation has a method, such as `get`"))?;
    let version = Version::of(&path);
    let mut responses = Vec::new();
    match Access::of(item)? {
        Some(access) => {
            for name in ["security", "extensions"] {
                if arguments.iter().any(|argument| starts_with(argument, name)) {
                    let message = format!("`{name}` follows from the caller in the signature");
                    return Err(Error::new_spanned(&item.sig.ident, message));
                }
            }
            arguments.extend(access.arguments(version));
            responses.push(access.responses(version));
        }
        // Said aloud, so that a caller that is not found here cannot leave an operation open in the document.
        None if !arguments.iter().any(is_without_security) => {
            let message = "an operation without a caller says `security()`";
            return Err(Error::new_spanned(&item.sig.ident, message));
        }
        None => {}
    }
    if is_idempotent(item) {
        let errors = version.errors();
        responses.push(quote!(#errors::IdempotencyConflict));
        let header = quote!(::web::IdempotencyKeyHeader);
        match arguments.iter_mut().find(|argument| starts_with(argument, "params")) {
            Some(params) => *params = with_items(params.clone(), |items| items.push(header.clone())),
            None => arguments.push(quote!(params(#header))),
        }
    }
    let written = arguments
        .iter_mut()
        .find(|argument| starts_with(argument, "responses"))
        .ok_or_else(|| Error::new_spanned(&item.sig.ident, "an operation has responses"))?;
    // Those written by hand come last, so that they take precedence.
    *written = with_items(written.clone(), |items| {
        *items = responses.iter().chain(&*items).cloned().collect();
    });
    let (name, visibility) = (&item.sig.ident, &item.vis);
    let description = is_documented.then(|| quote!(#[::utoipa::path(#(#arguments),*)]));
    let documentation = is_documented.then(|| {
        // The type that `utoipa::path` makes.
        let described = format_ident!("__path_{name}");
        quote! {
            fn describe(document: &mut ::utoipa::openapi::OpenApi) {
                ::web::describe_operation::<#described>(document);
            }
        }
    });
    Ok(quote! {
        #description
        #item

        // A type of the handler's name, so that one path leads to both.
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #visibility enum #name {}

        impl ::web::Operation for #name {
            const METHOD: ::web::MethodFilter = ::web::MethodFilter::#method;
            const PATH: &'static str = #path;

            #documentation
        }
    })
}

/// Returns the literal of `path = "..."`.
fn path_of(arguments: &[TokenStream]) -> Option<Literal> {
    let argument = arguments.iter().find(|argument| starts_with(argument, "path"))?;
    match argument.clone().into_iter().last() {
        // A constant could be of either version.
        Some(TokenTree::Literal(path)) if path.to_string().starts_with('"') => Some(path),
        _ => None,
    }
}

/// Returns the name of the method's constant.
fn method_of(arguments: &[TokenStream]) -> Option<Ident> {
    let mut words = arguments.iter().map(ToString::to_string);
    let word = words.find(|word| METHODS.contains(&word.as_str()))?;
    Some(format_ident!("{}", word.to_uppercase()))
}

/// The version of the API, which decides the credentials and the format of errors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    /// Also everything that is not V2: its errors have the same format.
    V1,
    V2,
}

impl Version {
    fn of(path: &Literal) -> Self {
        if path.to_string().starts_with("\"/api/v2/") { Self::V2 } else { Self::V1 }
    }

    /// Returns the module of the error responses.
    fn errors(self) -> TokenStream {
        match self {
            Self::V1 => quote!(::web::problem),
            Self::V2 => quote!(::web::json_api_errors),
        }
    }
}

/// Who may call an operation.
enum Access<'i> {
    User { permission: &'i Type, is_fresh: bool },
    Tester,
    Reporter,
}

impl<'i> Access<'i> {
    fn of(item: &'i ItemFn) -> Result<Option<Self>> {
        let mut found = None;
        for argument in &item.sig.inputs {
            let FnArg::Typed(argument) = argument else { continue };
            let Type::Path(ty) = &*argument.ty else { continue };
            let Some(last) = ty.path.segments.last() else { continue };
            let permission = match &last.arguments {
                PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                    Some(GenericArgument::Type(permission)) => Some(permission),
                    _ => None,
                },
                _ => None,
            };
            let access = match (last.ident.to_string().as_str(), permission) {
                ("Caller", Some(permission)) => Self::User { permission, is_fresh: false },
                ("FreshCaller", Some(permission)) => Self::User { permission, is_fresh: true },
                ("Tester", None) => Self::Tester,
                ("Reporter", None) => Self::Reporter,
                _ => continue,
            };
            if found.replace(access).is_some() {
                return Err(Error::new_spanned(&argument.ty, "an operation has one caller"));
            }
        }
        Ok(found)
    }

    /// Returns the arguments `security` and `extensions`.
    fn arguments(&self, version: Version) -> Vec<TokenStream> {
        match self {
            Self::User { permission, is_fresh } => {
                let scheme = match version {
                    Version::V1 => "session",
                    Version::V2 => "jwt",
                };
                let scopes = if *is_fresh { quote!(["fresh_proof"]) } else { quote!([]) };
                vec![
                    quote!(security((#scheme = #scopes))),
                    quote!(extensions(("x-permission" = json!(<#permission as ::domain::Permission>::NAME)))),
                ]
            }
            Self::Tester => vec![quote!(security(("tester_token" = [])))],
            Self::Reporter => vec![quote!(security(("device_token" = [])))],
        }
    }

    fn responses(&self, version: Version) -> TokenStream {
        let errors = version.errors();
        match self {
            Self::User { permission, is_fresh: false } => quote!(#errors::Access<#permission>),
            Self::User { permission, is_fresh: true } => quote!(#errors::FreshAccess<#permission>),
            Self::Tester | Self::Reporter => quote!(#errors::Unauthenticated),
        }
    }
}

fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(last)) => last.extend([token]),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn starts_with(argument: &TokenStream, name: &str) -> bool {
    argument.clone().into_iter().next().is_some_and(|first| first.to_string() == name)
}

/// Whether the argument is `security()`. A requirement without a scheme, `security(())`, would make credentials optional.
fn is_without_security(argument: &TokenStream) -> bool {
    let list = argument.clone().into_iter().nth(1);
    starts_with(argument, "security")
        && matches!(list, Some(TokenTree::Group(group)) if group.stream().is_empty())
}

/// Whether a handler reads an `Idempotency-Key` with its body, at once or later.
fn is_idempotent(item: &ItemFn) -> bool {
    names_any(item.to_token_stream(), &["IdempotentBody", "CsvFile", "read_idempotent", "into_idempotent"])
}

fn names_any(tokens: TokenStream, names: &[&str]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.iter().any(|name| ident == name),
        TokenTree::Group(group) => names_any(group.stream(), names),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Changes the items of the list in parentheses.
fn with_items(argument: TokenStream, change: impl Fn(&mut Vec<TokenStream>)) -> TokenStream {
    argument
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                let mut items = split_at_commas(group.stream());
                change(&mut items);
                let mut list = Group::new(Delimiter::Parenthesis, quote!(#(#items),*));
                list.set_span(group.span());
                TokenTree::Group(list)
            }
            token => token,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn expanded(arguments: TokenStream, item: &ItemFn) -> String {
        expand(arguments, item, true).unwrap().to_string()
    }

    fn contains(code: &str, part: &TokenStream) -> bool {
        code.contains(&part.to_string())
    }

    #[test]
    fn the_caller_says_what_is_needed() {
        let code = expanded(
            quote!(get, path = "/api/v1/tags", responses((status = 200, body = Tag), problem::BadParams)),
            &parse_quote!(
                async fn list_tags(Caller(caller): Caller<ReadRegistry>) {}
            ),
        );
        for part in [
            quote!(responses(::web::problem::Access<ReadRegistry>, (status = 200, body = Tag), problem::BadParams)),
            quote!(security(("session" = []))),
            quote!(extensions(("x-permission" = json!(<ReadRegistry as ::domain::Permission>::NAME)))),
        ] {
            assert!(contains(&code, &part), "{part} is not in {code}");
        }
    }

    #[test]
    fn each_version_has_its_credentials_and_errors() {
        let fresh = expanded(
            quote!(put, path = "/api/v2/tags", responses((status = 200))),
            &parse_quote!(
                async fn change(FreshCaller(caller): FreshCaller<ManageUsers>) {}
            ),
        );
        assert!(contains(&fresh, &quote!(::web::json_api_errors::FreshAccess<ManageUsers>)));
        assert!(contains(&fresh, &quote!(security(("jwt" = ["fresh_proof"])))));
        let tester = expanded(
            quote!(get, path = "/api/v1/tester", responses((status = 200))),
            &parse_quote!(
                async fn get(Tester(tester): Tester) {}
            ),
        );
        assert!(contains(&tester, &quote!(security(("tester_token" = [])))));
        assert!(contains(&tester, &quote!(::web::problem::Unauthenticated)));
    }

    #[test]
    fn a_key_is_documented_wherever_it_is_read() {
        let arguments = quote!(post, path = "/api/v1/tags", security(), responses(problem::BadBody));
        let at_once = expanded(
            arguments.clone(),
            &parse_quote!(
                async fn create(IdempotentBody { value, key }: IdempotentBody<NewTag>) {}
            ),
        );
        assert!(contains(&at_once, &quote!(params(::web::IdempotencyKeyHeader))));
        assert!(contains(
            &at_once,
            &quote!(responses(::web::problem::IdempotencyConflict, problem::BadBody))
        ));
        let later = expanded(
            quote!(post, path = "/api/v2/tags", security(), params(TagParams), responses()),
            &parse_quote!(
                async fn create(body: DeferredBody) {
                    let body = body.read_idempotent().await?;
                }
            ),
        );
        assert!(contains(&later, &quote!(params(TagParams, ::web::IdempotencyKeyHeader))));
        assert!(contains(&later, &quote!(responses(::web::json_api_errors::IdempotencyConflict))));
        let never = expanded(
            arguments,
            &parse_quote!(
                async fn create(Body(new): Body<NewTag>) {}
            ),
        );
        assert!(!never.contains("Idempotency"));
    }

    #[test]
    fn the_route_is_the_same_with_and_without_the_document() {
        let arguments = quote!(delete, path = "/api/v1/tags/{id}", responses((status = 204)));
        let item = parse_quote!(
            pub async fn delete_tag(Caller(caller): Caller<WriteRegistry>) {}
        );
        let [documented, alone] =
            [true, false].map(|is| expand(arguments.clone(), &item, is).unwrap().to_string());
        for part in [
            quote!(
                pub enum delete_tag {}
            ),
            quote!(impl ::web::Operation for delete_tag),
            quote!(
                const METHOD: ::web::MethodFilter = ::web::MethodFilter::DELETE;
            ),
            quote!(
                const PATH: &'static str = "/api/v1/tags/{id}";
            ),
        ] {
            assert!(contains(&documented, &part) && contains(&alone, &part), "{part} is not in both");
        }
        assert!(contains(&documented, &quote!(::web::describe_operation::<__path_delete_tag>(document))));
        assert!(!alone.contains("utoipa"), "{alone}");
    }

    #[test]
    fn an_operation_without_a_caller_is_left_as_it_is() {
        let arguments = quote!(post, path = "/api/v1/session", security(), responses((status = 200)));
        let code = expanded(
            arguments.clone(),
            &parse_quote!(
                async fn log_in() {}
            ),
        );
        assert!(contains(&code, &quote!(#[::utoipa::path(#arguments)])));
    }

    #[test]
    fn what_contradicts_the_signature_is_refused() {
        let item = parse_quote!(
            async fn list_tags(Caller(caller): Caller<ReadRegistry>) {}
        );
        let refused = |arguments| expand(arguments, &item, false).unwrap_err().to_string();
        let path = quote!(get, path = "/api/v1/tags");
        assert!(refused(quote!(#path, security(), responses())).contains("follows from the caller"));
        assert!(refused(path).contains("has responses"));
        assert!(refused(quote!(get, responses())).contains("has a path"));
        assert!(refused(quote!(path = "/api/v1/tags", responses())).contains("has a method"));
        assert!(refused(quote!(get, path = TAGS, responses())).contains("as a literal"));
        let open = parse_quote!(
            async fn list_tags() {}
        );
        for arguments in [
            quote!(get, path = "/api/v1/tags", responses()),
            quote!(get, path = "/api/v1/tags", security(()), responses()),
        ] {
            assert!(expand(arguments, &open, false).unwrap_err().to_string().contains("says `security()`"));
        }
    }
}
