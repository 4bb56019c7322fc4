package dev.sojourn.operator.proxy;

import io.netty.util.NetUtil;

/** A range of addresses, RFC 4632 and RFC 4291. */
public final class Cidr {

    private Cidr() {}

    public static boolean isOne(String text) {
        var slash = text.indexOf('/');
        // Never a host name: this one asks no DNS.
        var address = slash < 0 ? null : NetUtil.createByteArrayFromIpAddressString(text.substring(0, slash));
        var length = text.substring(slash + 1);
        return address != null && length.matches("[0-9]{1,3}") && Integer.parseInt(length) <= address.length * 8;
    }
}
