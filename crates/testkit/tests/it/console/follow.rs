//! Follows the numbers of a page to the records behind them.

use std::collections::HashMap;

use roxmltree::Node;
use testkit::TestApp;

use super::{Page, collect_text, has_class, join_blanks, open, parse};

/// The lists that say how many records they have.
const LISTS: [&str; 4] = ["/incursions", "/explore/incursions", "/settings/tags", "/settings/base-stations"];
/// Figures that are numbers of something else than of the incursions they lead to.
const OTHERS: [&str; 3] = ["Machines", "People on foot", "Operators"];

/// Opens a page, follows the link of each number that leads to a list, and panics unless the list has as many records. Returns how many
/// different lists there were.
pub async fn follow_numbers(app: &TestApp, cookie: &str, path: &str) -> usize {
    let page = open(app, cookie, path).await.expect(200);
    let mut totals: HashMap<String, i64> = HashMap::new();
    for (href, number) in counted_links(&page) {
        let total = match totals.get(&href) {
            Some(total) => *total,
            None => total_of(&open(app, cookie, &href).await.expect(200)),
        };
        assert_eq!(number, total, "{path} says {number}, and {href} lists {total}");
        totals.insert(href, total);
    }
    totals.len()
}

/// Returns the links from numbers to lists, with what the lists should have.
fn counted_links(page: &Page) -> Vec<(String, i64)> {
    let html = page.reply.text();
    let document = parse(&html);
    let links = document.descendants().filter(|node| node.has_tag_name("a"));
    let counted = links.filter_map(|link| {
        let href = link.attribute("href")?;
        let path = href.split('?').next()?;
        LISTS.contains(&path).then_some(())?;
        Some((href.to_owned(), number_of(link, href)?))
    });
    counted.collect()
}

/// Returns how many records a link promises; none if its text is no number.
fn number_of(link: Node<'_, '_>, href: &str) -> Option<i64> {
    let (text, whole) = match has_class(link, "tile") {
        true => (text_of_class(link, "val"), text_of_class(link, "den")),
        false => (text_of(link), of_cell(link)),
    };
    if text.ends_with('%') {
        assert!(href.contains("acknowledged=true"), "{text}: {href}");
    }
    if is_of_others(link) {
        return None;
    }
    read_number(&text).or_else(|| read_number(&whole))
}

/// Reads `3`, and what figures are computed from: `1 of 3`, `3 in 2 h` and `mean of 1`.
fn read_number(text: &str) -> Option<i64> {
    let whole = |word: &str| word.replace(',', "").parse::<i64>().ok();
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        [number] | [number, "in", ..] | ["mean", "of", number] => whole(number),
        [part, "of", all] => whole(all).and_then(|_| whole(part)),
        _ => None,
    }
}

fn text_of(node: Node<'_, '_>) -> String {
    let mut text = String::new();
    collect_text(node, &mut text);
    join_blanks(&text)
}

fn text_of_class(node: Node<'_, '_>, class: &str) -> String {
    node.descendants().find(|inner| has_class(*inner, class)).map(text_of).unwrap_or_default()
}

/// Returns what the cell of a table says beside its number.
fn of_cell(link: Node<'_, '_>) -> String {
    let Some(cell) = link.ancestors().find(|node| node.has_tag_name("td")) else { return String::new() };
    match cell.attribute("title") {
        Some(title) => title.to_owned(),
        None => cell.descendants().find(|node| node.has_tag_name("small")).map(text_of).unwrap_or_default(),
    }
}

/// Whether the row or the column of a number counts machines or people.
fn is_of_others(link: Node<'_, '_>) -> bool {
    let ancestor = |tag: &str| link.ancestors().find(|node| node.has_tag_name(tag));
    let (Some(cell), Some(row), Some(table)) = (ancestor("td"), ancestor("tr"), ancestor("table")) else {
        return false;
    };
    let cells = |row: Node<'_, '_>| row.children().filter(Node::is_element).map(text_of).collect::<Vec<_>>();
    let place = cell.prev_siblings().skip(1).filter(Node::is_element).count();
    let head = table.descendants().find(|node| node.has_tag_name("thead"));
    let head = head.and_then(|head| head.last_element_child());
    let column = head.map(cells).unwrap_or_default().into_iter().nth(place);
    let row = cells(row).into_iter().next();
    [column, row].into_iter().flatten().any(|label| OTHERS.contains(&label.as_str()))
}

/// Returns how many records a list says that it has.
fn total_of(list: &Page) -> i64 {
    let html = list.reply.text();
    let document = parse(&html);
    let pager = document.descendants().find(|node| has_class(*node, "pager"));
    let text = pager.and_then(|pager| pager.first_element_child()).map(text_of).unwrap_or_default();
    let mut numbers = text.split_whitespace().filter_map(|word| word.replace(',', "").parse().ok());
    numbers.next_back().unwrap_or_else(|| panic!("the list does not say how many: {html}"))
}
