use super::*;

fn expanded(arguments: &Arguments, item: ItemStruct) -> String {
    expand(arguments, item).unwrap().to_string()
}

fn refused(item: ItemStruct) -> String {
    expand(&Arguments::default(), item).unwrap_err().to_string()
}

/// Parsed types are printed with a space between closing angle brackets, and tokens of `quote!` without.
fn contains(code: &str, part: &TokenStream) -> bool {
    let close = |text: &str| text.replace("> >", ">>");
    close(code).contains(&close(&part.to_string()))
}

#[test]
fn the_type_says_whether_a_field_may_be_left_out_or_null() {
    let code = expanded(
        &Arguments::default(),
        parse_quote!(
            struct NewTag {
                serial: Serial,
                worksite_id: Option<WorksiteId>,
                role: Change<TagRole>,
                note: Change<Option<Name>>,
            }
        ),
    );
    for part in [
        quote!(#[schema(value_type = String)] serial: Serial),
        quote!(#[schema(value_type = Option<i64>)] worksite_id: Option<WorksiteId>),
        quote!(#[schema(nullable = false, value_type = Option<String>)] role: Change<TagRole>),
        quote!(#[schema(value_type = Option<String>)] note: Change<Option<Name>>),
        quote!(fields.required("serial", <Serial as ::web::BodyField>::from_json)),
        quote!(fields.optional("worksite_id", <WorksiteId as ::web::BodyField>::from_json)),
        quote!(fields.change("role", <TagRole as ::web::BodyField>::from_json)),
        quote!(fields.change_optional("note", <Name as ::web::BodyField>::from_json)),
        quote!(matches!(<WorksiteId as ::web::BodyField>::KIND, ::web::FieldKind::Integer)),
    ] {
        assert!(contains(&code, &part), "{part} is not in {code}");
    }
}

#[test]
fn attributes_say_how_a_field_is_read() {
    let code = expanded(
        &Arguments::default(),
        parse_quote!(
            struct NewMessage {
                #[field(parse = MessageText::parse)]
                text: MessageText,
                #[schema(example = 5)]
                #[field(range = 1..=60)]
                minutes: Option<i64>,
                #[schema(value_type = Option<Vec<Role>>, max_items = 3)]
                #[field(with = roles)]
                roles: Change<Vec<Role>>,
                #[schema(value_type = RoleSchema)]
                role: Option<Role>,
                #[schema(schema_with = boundary_schema)]
                #[field(read = boundary)]
                boundary: Option<Boundary>,
            }
        ),
    );
    for part in [
        quote!(fields.required("text", ::web::text(MessageText::parse))),
        quote!(#[schema(example = 5, value_type = Option<i64>, minimum = 1, maximum = 60)]),
        quote!(fields.optional("minutes", ::web::integer_within(1..=60))),
        quote!(#[schema(value_type = Option<Vec<Role>>, max_items = 3, nullable = false)]),
        quote!(#[schema(value_type = RoleSchema, required = false)]),
        quote!(fields.change("roles", roles)),
        quote!(#[schema(schema_with = boundary_schema, required = false)]),
        quote!(let __boundary = boundary(fields, "boundary");),
    ] {
        assert!(contains(&code, &part), "{part} is not in {code}");
    }
}

#[test]
fn a_field_that_openapi_leaves_out_is_read() {
    let code = expanded(
        &Arguments::default(),
        parse_quote!(
            struct ChangedWorksite {
                #[schema(ignore)]
                project_id: Change<Option<ProjectId>>,
            }
        ),
    );
    for part in [
        quote!(#[schema(ignore)] project_id: Change<Option<ProjectId>>),
        quote!(fields.change_optional("project_id", <ProjectId as ::web::BodyField>::from_json)),
    ] {
        assert!(contains(&code, &part), "{part} is not in {code}");
    }
    assert!(!contains(&code, &quote!(KIND)));
}

#[test]
fn a_body_becomes_the_value_of_a_use_case() {
    let arguments: Arguments = parse_quote!(into = TagChange, max_bytes = 64 * 1024, format = JsonOrForm);
    let code = expanded(
        &arguments,
        parse_quote!(
            struct ChangedTag {
                role: Change<TagRole>,
                #[field(into = worksite)]
                worksite_id: Change<WorksiteId>,
            }
        ),
    );
    for part in [
        quote!(impl ::std::convert::From<ChangedTag> for TagChange),
        quote!(Self { role: body.role, worksite: body.worksite_id }),
        quote!(
            const MAX_BYTES: usize = 64 * 1024;
        ),
        quote!(
            const FORMAT: ::web::BodyFormat = ::web::BodyFormat::JsonOrForm;
        ),
    ] {
        assert!(contains(&code, &part), "{part} is not in {code}");
    }
}

#[test]
fn a_change_knows_the_members_of_its_record() {
    let item: ItemStruct = parse_quote!(
        struct ChangedTag {
            role: Change<TagRole>,
        }
    );
    let code = expanded(&parse_quote!(of = Tag), item.clone());
    assert!(contains(&code, &quote!(<Tag as ::web::Record>::has_member(name))));
    assert!(expand(&parse_quote!(parts, of = Tag), item).unwrap_err().to_string().contains("the parts"));
}

#[test]
fn parts_are_read_one_by_one() {
    let item = parse_quote!(
        pub struct NewClip {
            from: Option<Timestamp>,
        }
    );
    let code = expanded(&parse_quote!(parts), item);
    assert!(contains(&code, &quote!(pub from: ::std::option::Option<Option<Timestamp>>)));
    assert!(contains(&code, &quote!(format = DateTime, value_type = Option<String>)));
    assert!(!contains(&code, &quote!(::web::FromFields)));
}

#[test]
fn what_cannot_be_known_is_refused() {
    let of_field = |field: TokenStream| refused(parse_quote!(struct Body { #field }));
    assert!(of_field(quote!(#[field(with = roles)] roles: Roles)).contains("add #[schema(value_type"));
    assert!(of_field(quote!(#[field(range = 1..=MAX)] size: i64)).contains("with a literal"));
    assert!(of_field(quote!(#[field(range = DAYS)] size: i64)).contains("with its ends"));
    assert!(of_field(quote!(#[field(most = 3)] size: i64)).contains("unknown attribute"));
    assert!(of_field(quote!(#[field(with = a, parse = b)] size: i64)).contains("one way only"));
    assert!(
        refused(parse_quote!(
            struct Body(i64);
        ))
        .contains("named fields")
    );
}
