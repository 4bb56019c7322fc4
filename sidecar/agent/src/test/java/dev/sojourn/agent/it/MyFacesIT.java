package dev.sojourn.agent.it;

/** The other JSF, without any setting. */
class MyFacesIT extends TwoNodes implements JsfCases {
    MyFacesIT() {
        super("myfaces", new FrameworksTomcat("org.apache.myfaces.core:myfaces-impl:4.0.3"));
    }

    @Override
    String settings() {
        return "patience=1s";
    }
}
