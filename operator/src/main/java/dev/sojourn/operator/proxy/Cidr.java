package dev.sojourn.operator.proxy;

import io.netty.util.NetUtil;
import java.util.regex.Pattern;

/** A range of addresses, RFC 4632 and RFC 4291. */
public final class Cidr {

    /** A decimal number of an IPv4 address, also of one at the end of an IPv6 address, that begins with a 0. */
    private static final Pattern PADDED = Pattern.compile("(^|[.:])0[0-9]+\\.|\\.0[0-9]+$");

    private Cidr() {}

    public static boolean isOne(String text) {
        var slash = text.indexOf('/');
        // Never a host name: this one asks no DNS. Envoy takes no 010 for 10, which others read as octal.
        var address = slash < 0 || PADDED.matcher(text.substring(0, slash)).find()
                ? null
                : NetUtil.createByteArrayFromIpAddressString(text.substring(0, slash));
        var length = text.substring(slash + 1);
        return address != null && length.matches("[0-9]{1,3}") && Integer.parseInt(length) <= address.length * 8;
    }
}
