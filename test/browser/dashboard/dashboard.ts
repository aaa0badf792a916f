import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { buildPage } from '../../../scripts/build-pages.ts';
import type { Database } from '../../../services/store/database.ts';
import { invitation, openPeople, password, Visitor } from '../../support/people/account.ts';
import { Person } from '../../support/people/person.ts';
import { type GitPerson, GitRemote } from '../../support/stand-ins/git-remote.ts';
import { startToolServer, type ToolServer } from '../../support/stand-ins/tool-server.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { axeFindings, barriersOn, isWiderThanWindow } from '../accessibility.ts';
import { openBrowser, openContext } from '../chromium.ts';

export const owner = 'owner@example.com';
/** Of every process. */
export const release = 'v1.2.3-of-the-tests';

/** One installation whose agents come from a repository, and the browsers of whoever looks at it: for all stories of the dashboard. */
export class Dashboard implements AsyncDisposable {
  readonly world: World;
  readonly people: Database;
  readonly remote: GitRemote;
  /** Somebody who changes the agents' files with git. */
  readonly author: GitPerson;
  readonly #browser: Browser;
  readonly #tools: ToolServer;
  #owners = 0;

  private constructor(parts: Pick<Dashboard, 'world' | 'remote' | 'author'> & { browser: Browser; tools: ToolServer }) {
    this.world = parts.world;
    this.remote = parts.remote;
    this.author = parts.author;
    this.people = openPeople(parts.world.serviceUrl);
    this.#browser = parts.browser;
    this.#tools = parts.tools;
  }

  static async start(): Promise<Dashboard> {
    await buildPage('dashboard');
    const [tools, browser, remote] = await Promise.all([startToolServer(), openBrowser(), GitRemote.create()]);
    const author = await remote.firstAuthor();
    const world = await startWorld({
      env: { TEST_TOOLS_URL: tools.url },
      settings: {
        ...{ peopleKeys, agentsFolder: undefined, release },
        repository: { url: remote.url, pollSeconds: 1, writes: 'direct' },
      },
    });
    return new Dashboard({ world, remote, author, browser, tools });
  }

  /** A page in a profile of its own, with everything that the browser complained about. */
  async open(path: string, options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
    const context = await openContext(this.#browser, options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('request', (request) => {
      if (!this.#isOurs(request.url())) complaints.push(`asks somebody else: ${request.url()}`);
    });
    await page.goto(`${this.world.baseUrl}${path}`);
    return { page, complaints };
  }

  /** The room server is ours, too: test conversations take place there. */
  #isOurs = (url: string): boolean =>
    [this.world.baseUrl, this.world.rooms.url.replace(/^ws/, 'http'), 'data:', 'blob:'].some((ours) =>
      url.startsWith(ours),
    );

  /** The same, signed in as an owner of their own: a person may ask for so much a minute, and all stories together ask for more. */
  async openSignedIn(path: string, options?: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }> {
    const email = `owner-${++this.#owners}@example.com`;
    await new Visitor([this.world.baseUrl]).accept(await this.invitation(email, 'owner'), 'Olivia Owner');
    const opened = await this.open(path, options);
    await signIn(opened.page, email);
    return opened;
  }

  /** Held by a client of the room server, as a customer's would. */
  async holdConversation(): Promise<string> {
    const customer = await this.world.customer();
    const { sessionId, ...connection } = await customer.createSession({ interactionMode: 'TEXT' });
    const person = await Person.join(connection);
    await person.hears(/^Welcome/);
    await person.ask('good morning', /good morning/);
    await person.ask('wait 30 kettle', /Waited: kettle/);
    await customer.endSession(sessionId);
    await person.leave();
    return sessionId;
  }

  invitation = (email: string, role: 'owner' | 'editor' | 'viewer'): Promise<string> =>
    invitation(this.people, this.world.tenant, email, role);

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.people.close();
    await this.world[Symbol.asyncDispose]();
    await this.#tools[Symbol.asyncDispose]();
    await this.remote[Symbol.asyncDispose]();
  }
}

/** In whatever language the page is. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(password);
  await page.keyboard.press('Enter');
}

/** Neither a rule of accessibility is broken, nor is there anything to scroll sideways. */
export async function expectNoBarriers(page: Page): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
  expect(await barriersOn(page)).toEqual([]);
  expect(await isWiderThanWindow(page)).toBe(false);
}

/** A card of a page by its heading. */
export const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
