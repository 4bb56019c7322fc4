package testapp;

import org.apache.wicket.DefaultPageManagerProvider;
import org.apache.wicket.Page;
import org.apache.wicket.Session;
import org.apache.wicket.pageStore.IPageStore;
import org.apache.wicket.pageStore.InSessionPageStore;
import org.apache.wicket.protocol.http.WebApplication;
import org.apache.wicket.request.Request;
import org.apache.wicket.request.Response;
import org.apache.wicket.settings.RequestCycleSettings.RenderStrategy;

/** Keeps its pages in the session, as an application of more than one server has to: by itself Wicket keeps them on the server's disk. */
public class WicketApp extends WebApplication {
    @Override
    protected void init() {
        super.init();
        // By itself it renders a page for the request that follows a redirect, and keeps that in the server's memory.
        getRequestCycleSettings().setRenderStrategy(RenderStrategy.REDIRECT_TO_RENDER);
        setPageManagerProvider(new DefaultPageManagerProvider(this) {
            @Override
            protected IPageStore newPersistentStore() {
                return new InSessionPageStore(10);
            }
        });
    }

    @Override
    public Class<? extends Page> getHomePage() {
        return WicketPage.class;
    }

    @Override
    public Session newSession(Request request, Response response) {
        return new WicketSession(request);
    }
}
