package dev.sojourn.agent.it;

/** What a session does on any pod of any supported container. */
abstract class Conformance extends TwoNodes
        implements SharingCases,
                EndingCases,
                ResponseCases,
                LongRequestCases,
                ServletCases,
                ObjectCases,
                ListenerCases,
                PassiveCases,
                OutageCases,
                DrainCases {
    Conformance(String name, Server server) {
        super(name, server);
    }
}
