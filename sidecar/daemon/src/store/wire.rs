//! Commands that run scripts, and what commands and answers weigh on the wire.

use redis::{Cmd, Value};

/// What the number of keys takes at most.
const MAX_DIGITS: usize = 20;

pub(super) fn command(verb: &str, script: &str, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
    // Room for all of it at once: a large argument would be copied to where the small ones after it have room.
    let all = keys
        .iter()
        .map(|key| key.len())
        .chain(arguments.iter().map(|argument| argument.len()));
    let bytes = verb.len() + script.len() + MAX_DIGITS + all.sum::<usize>();
    let mut command = Cmd::with_capacity(3 + keys.len() + arguments.len(), bytes);
    command.arg(verb).arg(script).arg(keys.len()).arg(keys);
    for argument in arguments {
        command.arg(*argument);
    }
    command
}

/// How many digits a length has. Counted for every element of every command, so not by writing it.
fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// The bytes of a command on the wire, without packing it a second time.
pub(super) fn packed_size(command: &Cmd) -> usize {
    let framed = |length: usize| digits(length) + length + 5;
    let sizes = command.args_iter().map(|argument| match argument {
        redis::Arg::Simple(bytes) => framed(bytes.len()),
        _ => framed(1),
    });
    let (count, bytes) = sizes.fold((0_usize, 0), |(count, bytes), size| {
        (count + 1, bytes + size)
    });
    digits(count) + 3 + bytes
}

/// The bytes of an answer on the wire.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::BulkString(bytes) => digits(bytes.len()) + bytes.len() + 5,
        Value::Int(number) => {
            let sign = usize::from(*number < 0);
            let number = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
            sign + digits(number) + 3
        }
        Value::Array(items) => digits(items.len()) + 3 + items.iter().map(size).sum::<usize>(),
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_command_is_its_size_on_the_wire() {
        let arguments: [&[u8]; 3] = [b"12", b"", &[7; 1000]];
        let command = command("EVALSHA", "0123456789", &["sj:{ab}:c:abcd"], &arguments);
        assert_eq!(packed_size(&command), command.get_packed_command().len());
    }

    #[test]
    fn the_size_of_an_answer_is_its_size_on_the_wire() {
        let text = |bytes: &[u8]| Value::BulkString(bytes.to_vec());
        let numbers = [0, 9, 10, -10, i64::MAX, i64::MIN].map(Value::Int);
        assert_eq!(
            numbers.iter().map(size).sum::<usize>(),
            ":0\r\n:9\r\n:10\r\n:-10\r\n:9223372036854775807\r\n:-9223372036854775808\r\n".len()
        );
        let answer = Value::Array(vec![text(b""), text(&[7; 10]), Value::Nil]);
        assert_eq!(
            size(&answer),
            "*3\r\n$0\r\n\r\n$10\r\n7777777777\r\n$-1\r\n".len()
        );
    }
}
