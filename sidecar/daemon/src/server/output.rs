//! What a client is still to be sent.

use bytes::BytesMut;

use super::{KEEP_BUFFER, replies};
use crate::resp::Reply;

/// Replies on their way to the client.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) bytes: BytesMut,
    replies: usize,
    /// What is there is to leave now.
    is_due: bool,
    /// The client does not take any more.
    is_closed: bool,
}

impl Output {
    /// Adds a reply; it is dropped where nobody takes it.
    pub(super) fn say(&mut self, tag: Option<u64>, reply: &Reply) {
        if !self.is_closed {
            replies::encode(tag, reply, &mut self.bytes);
            self.replies += 1;
            self.is_due = true;
        }
    }

    /// Adds what nobody has asked for, and what can leave with the next reply: it wakes the client only once.
    pub(super) fn tell(&mut self, news: &Reply) {
        if !self.is_closed {
            replies::encode(None, news, &mut self.bytes);
        }
    }

    /// What waits for a reply to leave with waits no longer.
    pub(super) fn hurry(&mut self) {
        self.is_due = !self.is_empty();
    }

    /// Whether anything is to leave now.
    pub(super) fn is_due(&self) -> bool {
        self.is_due
    }

    /// Whether all that there is waits for a reply to leave with.
    pub(super) fn is_waiting(&self) -> bool {
        !self.is_empty() && !self.is_due
    }

    /// How many replies have not left, or not wholly.
    pub(super) fn replies(&self) -> usize {
        self.replies
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether there is room. A client that asks a lot and reads nothing fills its socket, not our memory.
    pub(super) fn has_room(&self) -> bool {
        self.bytes.len() < KEEP_BUFFER
    }

    /// Some of the bytes have left.
    pub(super) fn sent(&mut self) {
        if self.bytes.is_empty() {
            self.replies = 0;
            self.is_due = false;
            // Sent bytes do not count in its capacity until they are reclaimed.
            if self.bytes.try_reclaim(KEEP_BUFFER + 1) {
                self.bytes = BytesMut::new();
            }
        }
    }

    /// The client takes nothing any more. What it asked for is done all the same.
    pub(super) fn close(&mut self) {
        *self = Self {
            is_closed: true,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use bytes::{Buf as _, Bytes};

    use super::*;

    #[test]
    fn a_reply_counts_until_everything_has_left() {
        let mut output = Output::default();
        output.say(None, &Reply::OK);
        output.say(Some(17), &Reply::OK);
        output.bytes.advance(5);
        output.sent();
        assert_eq!(output.replies(), 2);
        assert_eq!(output.bytes.as_ref(), b"*2\r\n:17\r\n+OK\r\n");
        output.bytes.advance(output.bytes.len());
        output.sent();
        assert_eq!(output.replies(), 0);
    }

    #[test]
    fn a_buffer_that_grew_is_given_back_once_it_is_empty() {
        let mut output = Output::default();
        output.say(None, &Reply::Bulk(Bytes::from(vec![7; 2 * KEEP_BUFFER])));
        assert!(!output.has_room());
        output.bytes.advance(KEEP_BUFFER);
        output.sent();
        output.bytes.advance(output.bytes.len());
        output.sent();
        assert!(!output.bytes.try_reclaim(1));
    }

    #[test]
    fn news_wait_for_a_reply_or_until_they_are_due() {
        let mut output = Output::default();
        output.hurry();
        assert!(!output.is_due() && !output.is_waiting());
        output.tell(&Reply::OK);
        assert!(output.is_waiting() && !output.is_due() && output.replies() == 0);
        output.hurry();
        assert!(output.is_due() && !output.is_waiting());
        output.bytes.advance(output.bytes.len());
        output.sent();
        assert!(!output.is_due());
        output.tell(&Reply::OK);
        output.say(Some(17), &Reply::OK);
        assert!(output.is_due() && output.replies() == 1);
    }

    #[test]
    fn nothing_is_kept_for_a_client_that_left() {
        let mut output = Output::default();
        output.say(None, &Reply::OK);
        output.close();
        output.say(Some(17), &Reply::OK);
        output.tell(&Reply::OK);
        assert!(output.is_empty());
        assert_eq!(output.replies(), 0);
    }
}
