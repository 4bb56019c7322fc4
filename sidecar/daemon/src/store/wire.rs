//! Commands that run scripts, and what commands and answers weigh on the wire.

use redis::{Cmd, Value};

pub(super) fn command(verb: &str, script: &str, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
    let mut command = redis::cmd(verb);
    command.arg(script).arg(keys.len()).arg(keys);
    for argument in arguments {
        command.arg(*argument);
    }
    command
}

/// The bytes of a command on the wire, without packing it a second time.
pub(super) fn packed_size(command: &Cmd) -> usize {
    let framed = |length: usize| length.to_string().len() + length + 5;
    let sizes = command.args_iter().map(|argument| match argument {
        redis::Arg::Simple(bytes) => framed(bytes.len()),
        _ => framed(1),
    });
    let (count, bytes) = sizes.fold((0_usize, 0), |(count, bytes), size| {
        (count + 1, bytes + size)
    });
    count.to_string().len() + 3 + bytes
}

/// The bytes of an answer on the wire.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::BulkString(bytes) => bytes.len().to_string().len() + bytes.len() + 5,
        Value::Int(number) => number.to_string().len() + 3,
        Value::Array(items) => {
            items.len().to_string().len() + 3 + items.iter().map(size).sum::<usize>()
        }
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
}
