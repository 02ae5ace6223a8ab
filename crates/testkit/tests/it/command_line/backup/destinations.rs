//! Destinations of backups and restores.

use testkit::{count_rows, on_both_engines};

use super::*;

on_both_engines!(a_backup_is_restored_only_where_nothing_is, a_backup_is_made_only_where_nothing_is);

async fn a_backup_is_restored_only_where_nothing_is(engine: Engine) {
    let installation = stopped_installation(engine);
    let backup = installation.backup("backup");
    let folder = backup.to_str().unwrap();
    let before = count_rows(&installation.database).await;
    let said = expect_failure(&run(&installation.database, &["restore", folder], ""));
    assert!(
        said.contains("nothing was restored") && said.contains("restored into an empty installation"),
        "{said}"
    );
    assert_eq!(count_rows(&installation.database).await, before);

    let occupied = Database::empty(engine);
    let object = occupied.folder().join("blobs/clips/1/1/1772366430-0000000000000001");
    fs::create_dir_all(object.parent().unwrap()).unwrap();
    fs::write(&object, "x").unwrap();
    let said = expect_failure(&run(&occupied, &["restore", folder], ""));
    assert!(said.contains("there is an object clips/1/1/1772366430-0000000000000001"), "{said}");
    assert_eq!(files_in(&occupied.folder()), std::slice::from_ref(&object));
    // Files left by an interrupted restore belong to this restore.
    fs::remove_file(&object).unwrap();
    copy_folder(&backup.join("blobs/clips/1/2"), &occupied.folder().join("blobs/clips/1/2"));
    expect_success(&run(&occupied, &["restore", folder], ""));
    expect_success(&run(&occupied, &["check", "--deep"], ""));
}

async fn a_backup_is_made_only_where_nothing_is(engine: Engine) {
    let installation = stopped_installation(engine);
    let backup = |path: &Path| run(&installation.database, &["backup", path.to_str().unwrap()], "");
    let target = installation.path("target");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("file"), "x").unwrap();
    assert!(expect_failure(&backup(&target)).contains("is not empty"));
    assert!(expect_failure(&backup(&target.join("file"))).contains("cannot be used"));
    fs::remove_file(target.join("file")).unwrap();
    let partial = installation.path("target.partial");
    fs::create_dir(&partial).unwrap();
    assert!(expect_failure(&backup(&target)).contains("another backup is running or was killed"));
    fs::remove_dir(&partial).unwrap();
    assert!(expect_failure(&backup(&installation.path("no/such"))).contains("cannot be created"));
    expect_success(&backup(&target));
    assert!(!partial.exists() && target.join("manifest.json").exists());

    // Without an installation, no backup is made.
    let nothing = Database::empty(engine);
    let empty = installation.path("empty");
    let said = expect_failure(&run(&nothing, &["backup", empty.to_str().unwrap()], ""));
    assert!(said.contains("there is no database at") || said.contains("the database is empty"), "{said}");
    assert!(!empty.exists() && !installation.path("empty.partial").exists());
    assert!(files_in(&nothing.folder()).is_empty());
}
