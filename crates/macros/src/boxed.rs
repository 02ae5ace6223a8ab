//! `#[boxed]`: futures that are compiled where they are written.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Error, FnArg, GenericParam, Generics, Ident, ImplItem, ImplItemFn, ItemImpl, Lifetime, LifetimeParam,
    Pat, Receiver, Result, ReturnType, Type, TypeReference, Visibility, WherePredicate, parse_quote,
};

pub fn expand(mut block: ItemImpl) -> Result<TokenStream> {
    if let Some(parameter) = block.generics.type_params().next() {
        return Err(Error::new_spanned(
            parameter,
            "#[boxed] has no effect on what is compiled for each type",
        ));
    }
    let of_block: Vec<Lifetime> =
        block.generics.lifetimes().map(|parameter| parameter.lifetime.clone()).collect();
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item
            && function.sig.asyncness.is_some()
            && matches!(function.vis, Visibility::Public(_))
            && !is_generic(function)
        {
            expand_function(function, &of_block);
        }
    }
    Ok(block.into_token_stream())
}

/// Whether a function is compiled for each type that it is called with, hence in the calling crate anyway.
fn is_generic(function: &ImplItemFn) -> bool {
    let has_impl_trait = function.sig.inputs.iter().any(|argument| match argument {
        FnArg::Receiver(_) => false,
        FnArg::Typed(argument) => {
            argument.ty.to_token_stream().into_iter().any(|token| token.to_string() == "impl")
        }
    });
    has_impl_trait || function.sig.generics.type_params().next().is_some()
}

fn expand_function(function: &mut ImplItemFn, of_block: &[Lifetime]) {
    let future = Lifetime::new("'future", Span::call_site());
    let mut naming = NameLifetimes { named: Vec::new(), of_self: None };
    let mut captured: Vec<Ident> = Vec::new();
    for argument in &mut function.sig.inputs {
        match argument {
            FnArg::Receiver(receiver) => {
                naming.visit_receiver(receiver);
                captured.push(Ident::new("self", Span::call_site()));
            }
            FnArg::Typed(argument) => {
                naming.visit_type_mut(&mut argument.ty);
                if let Pat::Ident(pattern) = &*argument.pat {
                    captured.push(pattern.ident.clone());
                }
            }
        }
    }
    let output = match &mut function.sig.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, output) => {
            // What is borrowed by the output is borrowed from the receiver, or from the only argument that can lend.
            let lender = naming.of_self.clone().or_else(|| match naming.named.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            });
            Elided(lender).visit_type_mut(output);
            (**output).clone()
        }
    };

    let generics = &mut function.sig.generics;
    let mut bounds = bounds(generics, &naming, &future, takes_self(&function.sig.inputs));
    bounds.extend(of_block.iter().map(|lifetime| -> WherePredicate { parse_quote!(#lifetime: #future) }));
    for lifetime in &naming.named {
        generics.params.insert(0, GenericParam::Lifetime(LifetimeParam::new(lifetime.clone())));
    }
    generics.params.insert(0, GenericParam::Lifetime(LifetimeParam::new(future.clone())));
    generics.make_where_clause().predicates.extend(bounds);

    let body = &function.block;
    // The first statements capture the arguments whole, so that they are dropped when the future ends; the next gives `return` and `?`
    // their type, and never runs.
    function.block = parse_quote!({
        ::std::boxed::Box::pin(async move {
            #(let _ = &#captured;)*
            if let ::std::option::Option::Some(output) = ::std::option::Option::None::<#output> {
                return output;
            }
            let output: #output = #body;
            output
        })
    });
    function.sig.asyncness = None;
    function.sig.output = parse_quote! {
        -> ::std::pin::Pin<::std::boxed::Box<dyn ::std::future::Future<Output = #output> + ::std::marker::Send + #future>>
    };
    function.attrs.push(parse_quote!(#[allow(
        clippy::type_complexity,
        clippy::let_and_return,
        clippy::needless_return,
        clippy::diverging_sub_expression,
        unreachable_code,
        reason = "made by #[boxed]"
    )]));
}

fn takes_self<'a>(inputs: impl IntoIterator<Item = &'a FnArg>) -> bool {
    inputs.into_iter().any(|argument| matches!(argument, FnArg::Receiver(_)))
}

/// Everything that the future holds outlives it.
fn bounds(
    generics: &Generics,
    naming: &NameLifetimes,
    future: &Lifetime,
    takes_self: bool,
) -> Vec<WherePredicate> {
    let mut bounds: Vec<WherePredicate> = Vec::new();
    for parameter in &generics.params {
        match parameter {
            GenericParam::Lifetime(parameter) => {
                let lifetime = &parameter.lifetime;
                bounds.push(parse_quote!(#lifetime: #future));
            }
            GenericParam::Type(_) | GenericParam::Const(_) => {}
        }
    }
    bounds.extend(naming.named.iter().map(|lifetime| -> WherePredicate { parse_quote!(#lifetime: #future) }));
    if takes_self {
        bounds.push(parse_quote!(Self: #future));
    }
    bounds
}

/// Gives each lifetime that is left out of the arguments a name.
struct NameLifetimes {
    named: Vec<Lifetime>,
    of_self: Option<Lifetime>,
}

impl NameLifetimes {
    fn name(&mut self) -> Lifetime {
        let lifetime = Lifetime::new(&format!("'argument{}", self.named.len()), Span::call_site());
        self.named.push(lifetime.clone());
        lifetime
    }

    fn visit_receiver(&mut self, receiver: &mut Receiver) {
        if receiver.colon_token.is_some() {
            self.visit_type_mut(&mut receiver.ty);
            if let Type::Reference(reference) = &*receiver.ty {
                self.of_self = reference.lifetime.clone();
            }
        } else if let Some((_, lifetime)) = &mut receiver.reference {
            let named = lifetime.take().filter(|lifetime| lifetime.ident != "_");
            let of_self = named.unwrap_or_else(|| self.name());
            *lifetime = Some(of_self.clone());
            // The type of the receiver is what was parsed; it is written anew from the reference.
            let mutability = receiver.mutability;
            *receiver.ty = parse_quote!(&#of_self #mutability Self);
            self.of_self = Some(of_self);
        }
    }
}

impl VisitMut for NameLifetimes {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.as_ref().is_none_or(|lifetime| lifetime.ident == "_") {
            reference.lifetime = Some(self.name());
        }
        visit_mut::visit_type_mut(self, &mut reference.elem);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.name();
        }
    }

    // Lifetimes of closures' arguments are their own.
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut syn::ParenthesizedGenericArguments) {}

    fn visit_type_bare_fn_mut(&mut self, _: &mut syn::TypeBareFn) {}
}

/// Writes out the lifetimes that are left out of the output.
struct Elided(Option<Lifetime>);

impl VisitMut for Elided {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if let (None, Some(lender)) = (&reference.lifetime, &self.0) {
            reference.lifetime = Some(lender.clone());
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_"
            && let Some(lender) = &self.0
        {
            *lifetime = lender.clone();
        }
    }
}
