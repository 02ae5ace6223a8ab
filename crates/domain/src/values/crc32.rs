//! CRC-32 as used by Ethernet, zip files and PNG.

/// The remainder for each value of a byte.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            let carry = remainder & 1;
            remainder = (remainder >> 1) ^ (carry * 0xedb8_8320);
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
}

pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |remainder, byte| (remainder >> 8) ^ TABLE[usize::from(remainder as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_crc_32_of_everyone_else() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
