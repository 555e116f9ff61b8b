// Opens identity over a test database, with a scripted wallet provider.

import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { type AuditEntry, renderEntry } from "#core/audit/createAudit.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Database } from "#core/db/Database.ts";
import { migrate } from "#core/db/migrate.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { createIdentity } from "#plugins/wallets/createIdentity.ts";
import { renderSiweMessage, type SiweMessage } from "#plugins/wallets/siwe/parseSiweMessage.ts";
import { createLocalCustody } from "#plugins/wallets/testing/localCustody.ts";

export const ORIGIN = "https://app.example";
export const NOW_MS = Date.UTC(2026, 10, 21, 12);

export type Answer = {
	status: number;
	headers: Headers;
	text: string;
	// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
	body: any;
};

export type Call = {
	method?: string;
	body?: unknown;
	bearer?: string | undefined;
	cookie?: string;
	headers?: Record<string, string>;
};

export type IdentityFixture = Awaited<ReturnType<typeof openIdentity>>;

export type FixtureOptions = {
	rpc?: Rpc;
	config?: Partial<Parameters<typeof createIdentity>[0]["config"]>;
};

/** What of the world is another in a test: the clock stands still, the audit is a list. */
function createWorld(db: Database, options: FixtureOptions) {
	const chains = createChainRegistry(builtinChains);
	const home = chains.byId(4663);
	if (!home) throw new Error("no home chain");
	const clock = { ms: NOW_MS, nowMs: () => clock.ms };
	const audited: AuditEntry[] = [];
	const provider = createLocalCustody(clock);
	const { rpc } = options;
	const identity = createIdentity({
		core: {
			db,
			clock,
			log: silentLog,
			chains,
			reached: rpc ? [{ chain: home, rpcFor: () => rpc, headUrls: [] }] : [],
			allowedOrigins: ["https://other.example"],
		},
		config: {
			PUBLIC_URL: ORIGIN,
			SANDBOX: false,
			SESSION_SECRET: undefined,
			TRADING_HOME_CHAIN: undefined,
			...options.config,
		},
		custody: provider.custody,
		audit: {
			async append(tx, entry) {
				// What the real one refuses is refused here too.
				renderEntry(entry, clock.ms);
				tx.afterCommit(() => void audited.push(entry));
			},
		},
		limits: {
			perTradeUsdMicros: 1_000_000_000n,
			dailyUsdMicros: 5_000_000_000n,
			walletNotionalUsdMicros: 2_000_000_000n,
		},
		dryRun: true,
	});
	return { clock, audited, provider, identity };
}

/** Asks the routes as HTTP would, through the real gate. */
function createCall({ identity, clock }: ReturnType<typeof createWorld>) {
	const app = testHttpApp({
		routes: [identity.routes],
		clock,
		publicUrl: ORIGIN,
		allowedOrigins: ["https://other.example"],
		limiter: {
			take: async () => ({ allowed: true, limit: 1, remaining: 1, resetMs: 1, retryAfterMs: 0 }),
		},
	});
	return async (path: string, init: Call = {}): Promise<Answer> => {
		const { method = init.body === undefined ? "GET" : "POST", body, bearer, cookie } = init;
		const headers = new Headers(init.headers);
		if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
		if (cookie !== undefined) {
			headers.set("cookie", cookie);
			if (!headers.has("origin")) headers.set("origin", ORIGIN);
		}
		if (body !== undefined && !headers.has("content-type")) {
			headers.set("content-type", "application/json");
		}
		const sent = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
		const response = await app.handle(
			new Request(`http://localhost/v1/trading${path}`, { method, headers, body: sent }),
		);
		const text = await response.text();
		const { status, headers: received } = response;
		return { status, headers: received, text, body: text === "" ? null : JSON.parse(text) };
	};
}

/** The identity routes behind the real gate, on a database, with a clock that stands still. */
export async function openIdentity(db: Database, options: FixtureOptions = {}) {
	const folder = join(import.meta.dir, "../migrations");
	await migrate(db.connectionString, [{ schema: "wallets", folder }], silentLog);
	const world = createWorld(db, options);
	const { clock } = world;
	const call = createCall(world);

	/** A message of an account, with a nonce of ours unless `changes` bring another. */
	async function messageOf(address: Hex, changes: Partial<SiweMessage> = {}): Promise<string> {
		const nonce = changes.nonce ?? (await call("/siwe/nonce", { method: "POST" })).body.nonce;
		return renderSiweMessage({
			scheme: null,
			domain: "app.example",
			address,
			statement: "Sign in.",
			uri: ORIGIN,
			version: "1",
			chainId: 4663,
			nonce,
			issuedAt: new Date(clock.ms).toISOString(),
			expirationTime: null,
			notBefore: null,
			requestId: null,
			resources: null,
			...changes,
		});
	}

	return {
		...world,
		db,
		call,
		messageOf,
		/** Signs in with a key as its owner's wallet would; answers what the service said. */
		async signIn(key: Hex, changes: Partial<SiweMessage> = {}, init: Call = {}): Promise<Answer> {
			const account = privateKeyToAccount(key);
			const message = await messageOf(account.address, changes);
			const signature = await account.signMessage({ message });
			const link = init.body;
			return call("/siwe/verify", {
				...init,
				body: { message, signature, ...(link as object | undefined) },
			});
		},
		enrol: (bearer: string, body?: unknown) => {
			return call("/enrollment", { method: "POST", bearer, ...(body ? { body } : {}) });
		},
	};
}

/** A private key by number: the first is 1. */
export function keyOf(number: number): Hex {
	return `0x${number.toString(16).padStart(64, "0")}`;
}

export function addressOf(number: number): Hex {
	return `0x${privateKeyToAccount(keyOf(number)).address.slice(2).toLowerCase()}`;
}
