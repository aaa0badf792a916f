import { expect, test } from 'vitest';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { inviteFirstOwner, revealOwnerInvitation } from '../../../services/core/members/first-owner.ts';
import { sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { eventually } from '../../support/eventually.ts';
import { password } from '../../support/people/account.ts';
import { clientId, clientSecret, IdentityProvider } from '../../support/stand-ins/identity-provider.ts';
import { SmtpSink } from '../../support/stand-ins/smtp-sink.ts';
import { masterKeys } from '../../support/world/master-keys.ts';
import { type Dashboard, expectNoBarriers, owner, signIn } from './dashboard.ts';

const acme = 'acme-owner@example.com';

/** The ways in that need something else than a password: a stack's link, an identity provider, a letter. */
export const arrivalStories = (opened: () => Dashboard) => {
  test("a stack's first owner comes by the link that the stack has made, and changes between two tenants", async () => {
    const { world, people } = opened();
    const { id: tenant } = await upsertTenant(world.admin, { slug: 'acme', name: 'Acme', features: {} });
    const deps = { db: people, vault: makeVault(masterKeys) };
    // As prepare does it for a stack's firstOwner, who is somebody else's member already.
    await inviteFirstOwner(deps, tenant, owner);
    const { token = '' } = (await revealOwnerInvitation(deps, tenant)) ?? {};
    const { page, complaints } = await opened().open(`/invitation#${token}`);
    await page.getByLabel('Your name').fill('Olivia Owner');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Accept and sign in' }).click();
    await page.waitForURL(/\/t\/(acme|local)$/);
    await page.goto(`${world.baseUrl}/t/local/members`);
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await page.getByRole('button', { name: 'Local' }).click();
    await expectNoBarriers(page);
    await page.getByRole('menuitemradio', { name: 'Acme' }).click();
    await page.waitForURL(`${world.baseUrl}/t/acme`);
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
    expect(await world.admin.query(sql`select role from people.memberships where tenant_id = ${tenant}`)).toEqual([
      { role: 'owner' },
    ]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('somebody comes by an identity provider, and somebody who has forgotten their password by a letter', async () => {
    const { world, people } = opened();
    const port = await freeTcpPort();
    const publicUrl = `http://127.0.0.1:${port}`;
    await using provider = await IdentityProvider.start(`${publicUrl}/auth/oidc/callback`);
    await using sink = await SmtpSink.start();
    await using _api = await world.startApi({
      settings: {
        ...{ port, publicUrl, mail: { url: sink.url, from: 'Parley <no-reply@example.com>' } },
        openIdConnect: { issuer: provider.issuer, clientId, clientSecret, name: 'Acme' },
      },
    });
    provider.people.set('anna', { email: acme, email_verified: true, name: 'Anna' });
    await opened().invitation(acme, 'viewer');

    const { page } = await opened().open('/sign-in');
    // Who she is at the provider, which asks her nothing.
    await page.route(`${provider.issuer}/auth?**`, (route) =>
      route.continue({ url: `${route.request().url()}&login_hint=anna` }),
    );
    await page.goto(`${publicUrl}/sign-in`);
    await page.getByRole('button', { name: 'Continue with Acme' }).waitFor();
    await expectNoBarriers(page);
    await page.getByRole('button', { name: 'Continue with Acme' }).click();
    await page.waitForURL(`${publicUrl}/t/local`);
    await page.getByText('Anna').first().waitFor();
    await page.context().close();

    const { page: forgetful } = await opened().open('/sign-in');
    await forgetful.goto(`${publicUrl}/sign-in`);
    await forgetful.getByRole('link', { name: 'Forgotten your password?' }).click();
    await forgetful.getByLabel('Email').fill(owner);
    await forgetful.getByRole('button', { name: 'Mail me a link' }).click();
    await forgetful.getByText('a link is on its way').waitFor();
    const letter = await eventually('the letter is there', () => sink.lettersTo(owner).at(0));
    const [link = ''] = /http:\S+#\S+/.exec(letter.text) ?? [];
    // In the tab that asked for it: only what stands behind the # changes there.
    await forgetful.goto(link);
    await forgetful.getByLabel('New password').fill(`${password} and more`);
    expect(forgetful.url()).toBe(`${publicUrl}/reset-password`);
    await expectNoBarriers(forgetful);
    await forgetful.getByRole('button', { name: 'Set it and sign in' }).click();
    await forgetful.getByText('Olivia Owner').first().waitFor();

    provider.people.set('olivia', { email: owner, email_verified: true });
    await forgetful.route(`${provider.issuer}/auth?**`, (route) =>
      route.continue({ url: `${route.request().url()}&login_hint=olivia` }),
    );
    await forgetful.getByRole('button', { name: 'Olivia Owner' }).click();
    await forgetful.getByRole('menuitem', { name: 'How you sign in' }).click();
    await forgetful.getByText('No identity provider is linked to you.').waitFor();
    await expectNoBarriers(forgetful);
    await forgetful.getByLabel('Password').fill(`${password} and more`);
    await forgetful.getByRole('button', { name: 'Link Acme' }).click();
    await forgetful.getByText(provider.issuer).waitFor();
    expect(forgetful.url()).toBe(`${publicUrl}/account`);
    // As it is once another identity provider is configured.
    const former = 'https://former.example.com';
    await people.query(sql`
      insert into people.identities (issuer, subject, person_id)
      select ${former}, 'olivia', id from people.persons where email = ${owner}`);
    await forgetful.reload();
    const ofFormer = forgetful.getByRole('listitem').filter({ hasText: former });
    await ofFormer.getByText('No longer in use: lets nobody in').waitFor();
    expect(await forgetful.getByText('No longer in use').count()).toBe(1);
    await expectNoBarriers(forgetful);
    await ofFormer.getByRole('button', { name: 'Unlink' }).click();
    await forgetful.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await ofFormer.waitFor({ state: 'detached' });
    expect(await people.query(sql`select 1 from people.identities where issuer = ${former}`)).toEqual([]);
    await forgetful.getByRole('button', { name: 'Unlink' }).click();
    await expectNoBarriers(forgetful);
    await forgetful.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await forgetful.getByText('No identity provider is linked to you.').waitFor();
    await forgetful.context().close();
    const { page: again } = await opened().open('/t/local/members');
    await signIn(again, owner);
    await again.getByText('do not go together').waitFor();
    await again.context().close();
  });
};
