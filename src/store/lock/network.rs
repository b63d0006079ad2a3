//! Refuses file systems whose locks cannot be trusted: NFS, SMB, 9p, sshfs.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

/// The network file system that holds `file`, if it is one that we refuse.
pub fn network_file_system(file: &File) -> io::Result<Option<&'static str>> {
    // SAFETY: `statfs` is plain data and is filled in by the call.
    let mut stat: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open and `stat` is valid for writing.
    if unsafe { libc::fstatfs(file.as_raw_fd(), &raw mut stat) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // The type is a 32-bit magic number in a field whose width depends on the architecture.
    let magic = (stat.f_type as u64) & 0xffff_ffff;
    let kind = classify(magic);
    if kind != Some(FUSE) {
        return Ok(kind);
    }
    // A FUSE mount is any local program; only its name in the mount table tells sshfs.
    let Ok(mounts) = std::fs::read_to_string("/proc/self/mountinfo") else { return Ok(None) };
    let dev = file.metadata()?.dev();
    let device = format!("{}:{}", libc::major(dev), libc::minor(dev));
    Ok((mount_type(&mounts, &device) == Some("fuse.sshfs")).then_some("sshfs"))
}

const FUSE: &str = "fuse";

/// The name of a magic number of `statfs`, for the file systems that matter here.
fn classify(magic: u64) -> Option<&'static str> {
    match magic {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x0102_1997 => Some("9p"),
        0x6573_5546 => Some(FUSE),
        _ => None,
    }
}

/// The type of the mount of `device` (`major:minor`) in a text of `/proc/self/mountinfo`.
fn mount_type<'a>(mounts: &'a str, device: &str) -> Option<&'a str> {
    let line = mounts.lines().find(|l| l.split(' ').nth(2) == Some(device))?;
    line.split_once(" - ")?.1.split(' ').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_numbers() {
        // From linux/magic.h: ext4, tmpfs, btrfs, overlayfs are local.
        for local in [0xef53, 0x0102_1994, 0x9123_683e, 0x794c_7630] {
            assert_eq!(classify(local), None);
        }
        assert_eq!(classify(0x6969), Some("NFS"));
        assert_eq!(classify(0xff53_4d42), Some("SMB"));
        assert_eq!(classify(0x0102_1997), Some("9p"));
    }

    #[test]
    fn mount_table() {
        let table = "36 35 98:0 /m /mnt rw,noatime master:1 - ext3 /dev/root rw\n\
                     51 35 0:46 / /home/u/far rw,nosuid shared:9 - fuse.sshfs u@h:/ rw,user_id=0\n\
                     52 35 0:47 / /x rw - fuse.portal portal rw\n";
        assert_eq!(mount_type(table, "0:46"), Some("fuse.sshfs"));
        assert_eq!(mount_type(table, "0:47"), Some("fuse.portal"));
        assert_eq!(mount_type(table, "98:0"), Some("ext3"));
        assert_eq!(mount_type(table, "1:1"), None);
    }

    #[test]
    fn a_temporary_file_is_local() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(network_file_system(&file).unwrap(), None);
    }
}
