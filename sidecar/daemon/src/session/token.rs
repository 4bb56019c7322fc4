//! What names a commit.

/// Names one commit, so that a repeated one is recognized, and so that a version that the store has forgotten and
/// given away again is not taken for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token(pub [u8; 4]);

impl Token {
    /// A token that no other commit is likely to have.
    pub fn random() -> Self {
        Self(fastrand::u32(..).to_be_bytes())
    }

    /// The token of a commit that puts back, on top of what others did since, what this version had.
    #[must_use]
    pub fn put_back(self) -> Self {
        Self(self.0.map(|byte| !byte))
    }

    /// The token in these bytes, if they are one.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}
