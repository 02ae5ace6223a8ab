//! Paging and searching by folded keys.

use domain::{Cursor, Name, NewPerson, PeopleFilter, PersonKind, Sorting, Timestamp, Window, WindowPosition};
use store::{Error, Projects, Scope, ShownAs, Store};
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    both_engines_order_names_alike,
    nothing_is_skipped_or_doubled_while_rows_are_added,
    a_cursor_belongs_to_its_list,
    search_takes_signs_for_what_they_are,
    another_brand_is_never_seen
);

async fn add(store: &Store, scope: &Scope, kind: PersonKind, name: &str) {
    let new =
        NewPerson { kind, name: Name::parse(name).unwrap(), employee_id: None, email: None, company: None };
    let mut tx = store.begin().await.unwrap();
    tx.people(scope).add(&new, Timestamp::from_seconds(1)).await.unwrap();
    tx.commit().await.unwrap();
}

async fn page(
    store: &Store,
    scope: &Scope,
    filter: &PeopleFilter,
    limit: u16,
    after: Option<Cursor>,
) -> Result<(Vec<String>, Option<Cursor>), Error> {
    let position = after.map_or(WindowPosition::Start, WindowPosition::After);
    let window = Window { size: limit, position };
    let mut tx = store.read().await.unwrap();
    let page = tx.people(scope).slice(filter, ShownAs::Name, Sorting::default(), &window).await?;
    Ok((page.rows.into_iter().map(|person| person.name).collect(), page.next))
}

async fn set_up(app: &TestApp, names: &[&str]) -> (Store, Scope) {
    let brand = app.ensure_brand("Acme").await;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(brand.id, Projects::All);
    for name in names {
        add(&store, &scope, PersonKind::Staff, name).await;
    }
    (store, scope)
}

async fn both_engines_order_names_alike(app: TestApp) {
    let names = [
        "zoe",
        "Émile",
        "adam",
        "Ada",
        "emil",
        "Ødegård",
        "_x",
        "ada lovelace",
        "Zed",
        "Ångström",
        "10",
        "9",
    ];
    let (store, scope) = set_up(&app, &names).await;
    let (ordered, next) = page(&store, &scope, &PeopleFilter::default(), 500, None).await.unwrap();
    let expected = [
        "10",
        "9",
        "_x",
        "Ada",
        "ada lovelace",
        "adam",
        "Ångström",
        "emil",
        "Émile",
        "Zed",
        "zoe",
        "Ødegård",
    ];
    assert_eq!(ordered, expected);
    assert_eq!(next, None);
}

async fn nothing_is_skipped_or_doubled_while_rows_are_added(app: TestApp) {
    let names: Vec<String> = (0..20).map(|n| format!("p{:02}", n / 3)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (store, scope) = set_up(&app, &names).await;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let (rows, next) = page(&store, &scope, &PeopleFilter::default(), 4, after).await.unwrap();
        seen.extend(rows);
        // Before and after the reader's position.
        add(&store, &scope, PersonKind::Staff, "a newcomer").await;
        add(&store, &scope, PersonKind::Staff, "zz newcomer").await;
        match next {
            Some(next) if seen.len() < 100 => after = Some(next),
            _ => break,
        }
        if seen.iter().any(|name| name.starts_with("zz")) {
            break;
        }
    }
    let old: Vec<&str> = seen.iter().map(String::as_str).filter(|name| name.starts_with('p')).collect();
    assert_eq!(old, names);
}

async fn a_cursor_belongs_to_its_list(app: TestApp) {
    let (store, scope) = set_up(&app, &["a", "b", "c"]).await;
    let staff = PeopleFilter { kinds: vec![PersonKind::Staff], ..PeopleFilter::default() };
    let (_, next) = page(&store, &scope, &staff, 2, None).await.unwrap();
    assert_eq!(page(&store, &scope, &staff, 2, next.clone()).await.unwrap().0, ["c"]);
    for (filter, cursor) in [
        (PeopleFilter::default(), next.clone()),
        (PeopleFilter { q: Some("c".to_owned()), ..staff.clone() }, next),
        (staff.clone(), Some(Cursor::from_client("bogus"))),
        (staff, Some(Cursor::from_client(""))),
    ] {
        assert!(matches!(page(&store, &scope, &filter, 2, cursor).await, Err(Error::InvalidCursor)));
    }
}

async fn search_takes_signs_for_what_they_are(app: TestApp) {
    let (store, scope) =
        set_up(&app, &["100% Ada", "1000 Ada", "under_score", "underXscore", "wow!", "José"]).await;
    for (q, found) in [
        ("100%", vec!["100% Ada"]),
        ("r_s", vec!["under_score"]),
        ("!", vec!["wow!"]),
        ("JOSE", vec!["José"]),
        ("ada", vec!["100% Ada", "1000 Ada"]),
        ("' or 1=1 --", vec![]),
    ] {
        let filter = PeopleFilter { q: Some(q.to_owned()), ..PeopleFilter::default() };
        assert_eq!(page(&store, &scope, &filter, 10, None).await.unwrap().0, found, "{q}");
    }
}

async fn another_brand_is_never_seen(app: TestApp) {
    let (store, _) = set_up(&app, &["mine"]).await;
    let other = app.ensure_brand("Other").await;
    let (_, platform) = app.database().open().await;
    let scope = platform.scope(other.id, Projects::All);
    assert_eq!(page(&store, &scope, &PeopleFilter::default(), 10, None).await.unwrap().0, [""; 0]);
    let mut tx = store.read().await.unwrap();
    assert!(tx.people(&scope).find(domain::PersonId(1)).await.unwrap().is_none());
    assert_eq!(tx.people(&scope).count(&PeopleFilter::default(), ShownAs::Name).await.unwrap(), 0);
}
