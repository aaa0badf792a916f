import { QueryClientProvider } from '@tanstack/preact-query';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { LocationProvider, Route, Router } from 'preact-iso';
import { makeAccountApi } from './account/account-api.ts';
import type { SignInKeeper } from './account/sign-in-keeper.ts';
import { AccountContext, makeQueryClient } from './account/use-account.ts';
import { AccountPage } from './pages/account.tsx';
import { Home } from './pages/home.tsx';
import { Invitation } from './pages/invitation.tsx';
import { NotFound } from './pages/not-found.tsx';
import { ResetPassword } from './pages/reset-password.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { tenantPages } from './pages/tenant-pages.ts';
import { Announcements } from './parts/announcements.tsx';
import { Boundary } from './parts/boundary.tsx';
import { applyPreferences, type Preferences, writePreferences } from './preferences.ts';
import { TenantPage } from './shell/tenant-page.tsx';
import { PreferencesContext } from './shell/use-preferences.ts';
import { SpokenContext, spokenIn } from './words/use-words.ts';

interface Props {
  origin: string;
  keeper: SignInKeeper;
  preferences: Preferences;
}

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Who is signed in, what they like, and which page they are on. */
export function App({ origin, keeper, preferences: first }: Props) {
  const [preferences, setPreferences] = useState(first);
  const account = useMemo(() => ({ keeper, api: makeAccountApi(origin, keeper) }), [origin, keeper]);
  const queries = useMemo(makeQueryClient, []);
  const spoken = useMemo(() => spokenIn(preferences.language, timeZone), [preferences.language]);

  useEffect(() => {
    applyPreferences(preferences);
    writePreferences(preferences);
  }, [preferences]);
  // What one person was shown is nothing for the next one. At the moment itself: later it would take what the next page has asked for.
  useEffect(
    () =>
      keeper.watch(() => {
        if (keeper.state === 'out') queries.clear();
      }),
    [keeper, queries],
  );

  return (
    <PreferencesContext.Provider value={{ preferences, setPreferences }}>
      <SpokenContext.Provider value={spoken}>
        <QueryClientProvider client={queries}>
          <AccountContext.Provider value={account}>
            <Boundary>
              <Announcements>
                <LocationProvider>
                  <Router>
                    <Route path="/" component={Home} />
                    <Route path="/sign-in" component={SignInPage} />
                    <Route path="/invitation" component={Invitation} />
                    <Route path="/reset-password" component={ResetPassword} />
                    <Route path="/account" component={AccountPage} />
                    {tenantPages.map(({ path, page }) => (
                      <Route key={path} path={`/t/:tenant${path}`} component={TenantPage} page={page} />
                    ))}
                    <Route default component={NotFound} />
                  </Router>
                </LocationProvider>
              </Announcements>
            </Boundary>
          </AccountContext.Provider>
        </QueryClientProvider>
      </SpokenContext.Provider>
    </PreferencesContext.Provider>
  );
}
