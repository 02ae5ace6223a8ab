//! Damaged and forged backups.

use std::os::unix::fs::symlink;

use testkit::{execute_raw_sql, on_both_engines};

use super::*;

on_both_engines!(
    a_damaged_backup_is_refused_by_the_name_of_what_is_damaged,
    a_changed_row_is_found_though_all_files_are_as_the_manifest_says,
    missing_short_and_changed_video_is_found,
);

fn flip_bit(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn truncate(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
}

async fn a_damaged_backup_is_refused_by_the_name_of_what_is_damaged(engine: Engine) {
    let installation = stopped_installation(engine);
    let whole = installation.backup("whole");
    expect_success(&run(&installation.database, &["check", "--backup", whole.to_str().unwrap()], ""));
    let database = if engine == Engine::Sqlite { "database.sqlite" } else { "database.dump" };
    let object = manifest(&whole)["objects"][1]["name"].as_str().unwrap().to_owned();
    let file = format!("blobs/{object}");
    type Damage<'a> = (&'a str, Box<dyn Fn(&Path) + 'a>);
    let damages: Vec<(Damage<'_>, String)> = vec![
        (
            ("a byte of the database", Box::new(|at| flip_bit(&at.join(database)))),
            format!("{database} was changed"),
        ),
        (("a short database", Box::new(|at| truncate(&at.join(database)))), format!("{database} has ")),
        (
            ("no database", Box::new(|at| fs::remove_file(at.join(database)).unwrap())),
            format!("{database} is missing"),
        ),
        (("a byte of an object", Box::new(|at| flip_bit(&at.join(&file)))), format!("{file} was changed")),
        (("a short object", Box::new(|at| truncate(&at.join(&file)))), format!("{file} has ")),
        (
            ("no object", Box::new(|at| fs::remove_file(at.join(&file)).unwrap())),
            format!("{file} is missing"),
        ),
        (
            (
                "a link",
                Box::new(|at| {
                    fs::remove_file(at.join(&file)).unwrap();
                    symlink(whole.join(&file), at.join(&file)).unwrap();
                }),
            ),
            format!("{file} is not a file"),
        ),
        (
            ("a file too many", Box::new(|at| fs::write(at.join("blobs/more"), "x").unwrap())),
            "blobs/more is not in the manifest".to_owned(),
        ),
        (
            ("a byte of the manifest", Box::new(|at| flip_bit(&at.join("manifest.json")))),
            "manifest.json is damaged".to_owned(),
        ),
        (
            ("a short manifest", Box::new(|at| truncate(&at.join("manifest.json")))),
            "manifest.json is damaged".to_owned(),
        ),
        (
            ("no manifest", Box::new(|at| fs::remove_file(at.join("manifest.json")).unwrap())),
            "it is not a backup, or not a complete one".to_owned(),
        ),
        (
            (
                "a way out",
                Box::new(|at| {
                    forge_manifest(at, |text| text.replace(&object, "../../../escaped"));
                }),
            ),
            "\"../../../escaped\" is not the name of an object".to_owned(),
        ),
        (
            (
                "a way out by the database",
                Box::new(|at| {
                    forge_manifest(at, |text| text.replace(database, "../database"));
                }),
            ),
            "it does not name a copy of the database".to_owned(),
        ),
        (
            (
                "a newer form",
                Box::new(|at| {
                    forge_manifest(at, |text| text.replace("\"format\": 2", "\"format\": 3"));
                }),
            ),
            "a newer Keepclear made it".to_owned(),
        ),
    ];
    let restored = Database::empty(engine);
    for (number, ((what, damage), reason)) in damages.iter().enumerate() {
        let copy = installation.path(&format!("copy {number}"));
        copy_folder(&whole, &copy);
        damage(&copy);
        let said = expect_failure(&run(&restored, &["restore", copy.to_str().unwrap()], ""));
        assert!(said.contains("nothing was restored") && said.contains(reason), "{what}: {said}");
        assert!(is_empty_installation(&restored).await, "{what}");
        let said = expect_failure(&run(&restored, &["check", "--backup", copy.to_str().unwrap()], ""));
        assert!(said.contains(reason), "{what}: {said}");
    }
    // Made by a newer program, in a known format.
    let newer = installation.path("newer");
    copy_folder(&whole, &newer);
    forge_manifest(&newer, |text| text.replace("\"0001_foundation\"", "\"9999_tomorrow\""));
    let said = expect_failure(&run(&restored, &["restore", newer.to_str().unwrap()], ""));
    assert!(said.contains("9999_tomorrow") && said.contains("belongs to a newer Keepclear"), "{said}");
    // And made for the other engine.
    let other = Database::empty(if engine == Engine::Sqlite { Engine::Postgres } else { Engine::Sqlite });
    let said = expect_failure(&run(&other, &["restore", whole.to_str().unwrap()], ""));
    assert!(said.contains("but the configured database is"), "{said}");
    assert!(is_empty_installation(&restored).await && is_empty_installation(&other).await);
    expect_success(&run(&restored, &["restore", whole.to_str().unwrap()], ""));
}

async fn a_changed_row_is_found_though_all_files_are_as_the_manifest_says(engine: Engine) {
    let installation = stopped_installation(engine);
    let before = installation.backup("before");
    execute_raw_sql(&installation.database, "update incursions set zone = 2").await.unwrap();
    execute_raw_sql(&installation.database, "delete from tags").await.unwrap();
    let after = installation.backup("after");
    // The earlier backup with the later database, and a manifest that matches the file but not the rows.
    let entry = |backup: &Path| {
        let database = manifest(backup)["database"].clone();
        let (size, hash) =
            (database["size_bytes"].to_string(), database["sha256"].as_str().unwrap().to_owned());
        let name = database["name"].as_str().unwrap().to_owned();
        (name, size, hash)
    };
    let ((name, size, hash), (_, new_size, new_hash)) = (entry(&before), entry(&after));
    fs::copy(after.join(&name), before.join(&name)).unwrap();
    forge_manifest(&before, |text| {
        let entry = |size: &str, hash: &str| format!("\"size_bytes\": {size},\n    \"sha256\": \"{hash}\"");
        text.replace(&entry(&size, &hash), &entry(&new_size, &new_hash))
    });
    let folder = before.to_str().unwrap();
    let said = expect_failure(&run(&installation.database, &["check", "--backup", folder], ""));
    assert!(said.contains("the table tags has 0 rows instead of 1"), "{said}");
    assert!(said.contains("the rows of the table incursions are not those that were backed up"), "{said}");
    assert_eq!(said.lines().count(), 3, "{said}");
    let said = expect_failure(&run(&Database::empty(engine), &["restore", folder], ""));
    assert!(said.contains("must not be used") && said.contains("the table tags has 0 rows"), "{said}");
}

async fn missing_short_and_changed_video_is_found(engine: Engine) {
    let installation = stopped_installation(engine);
    let check = |more: &[&str]| run(&installation.database, &[&["check"], more].concat(), "");
    let file = files_in(&installation.database.folder().join("blobs/clips/1/2")).remove(0);
    flip_bit(&file);
    assert!(expect_success(&check(&[])).contains("2 clips are there, with their sizes"));
    assert!(expect_failure(&check(&["--deep"])).contains("clip 2: the content of the object clips/1/2/"));
    truncate(&file);
    let said = expect_failure(&check(&[]));
    assert!(
        said.contains("clip 2: the object clips/1/2/") && said.contains("599999 bytes instead of 600000"),
        "{said}"
    );
    fs::remove_file(&file).unwrap();
    assert!(expect_failure(&check(&[])).contains("is missing"));
}
