// Opens the registry of stock tokens behind the real gate of roles.

import { z } from "zod";
import { createAudit } from "#core/audit/createAudit.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Database } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import type { Core } from "#core/plugin/Core.ts";
import { openRegistry, type RegistryOptions } from "#plugins/trading/openRegistry.ts";
import { registryConfig } from "#plugins/trading/registryConfig.ts";
import { tradeConfig } from "#plugins/trading/tradeConfig.ts";
import type { Principal, Wallets } from "#plugins/wallets/contract.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { insertPerson, type Person } from "#plugins/wallets/testing/insertPerson.ts";
import { fakePrices } from "#test/harness/fakes.ts";

const ADMIN_KEY = "an-operator-s-key-0001";
const STOCK_CHAIN_ID = 4_663;

type RegistryLabOptions = {
	db: Database;
	rpc: Rpc;
	clock: { ms: number; nowMs(): number };
	/** Environment variables. */
	env?: Record<string, string>;
};

type AskOptions = {
	method?: string;
	body?: unknown;
	by?: Person;
	operator?: string | null;
};

/**
 * Opens the registry's part of the plugin behind the real gate. A bearer token is a profile's id.
 */
export function openRegistryLab({ db, rpc, clock, env = {} }: RegistryLabOptions) {
	const chains = createChainRegistry(builtinChains);
	const chain = chains.byId(STOCK_CHAIN_ID);
	assert(chain, "chain 4663 is built in");
	const prices = fakePrices();
	const core = {
		...{ role: "all", db, clock, log: silentLog, chains },
		audit: createAudit({ clock }),
		metrics: createMetrics(),
		operators: createOperators({ apiKey: ADMIN_KEY, clock, metrics: createMetrics() }),
		reached: [{ chain, rpcFor: () => rpc, headUrls: [] }],
	} as unknown as Core;
	const principalOf = async (id: string | null | undefined): Promise<Principal> => {
		const profile = id ? await readProfile(db, { id }) : null;
		if (!profile) throw httpFault.unauthorized();
		return { profile, sessionId: null };
	};
	const wallets = {
		authenticate: (request: Request) =>
			principalOf(/^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1]),
		principalOf: ({ profileId }: { profileId: string | null }) => principalOf(profileId),
	} as unknown as Wallets;
	const { TRADE_V3_QUOTER } = tradeConfig;
	const config: RegistryOptions["config"] = z
		.object({ ...registryConfig, TRADE_V3_QUOTER })
		.parse(env);
	const ending = new AbortController();
	const registry = openRegistry({ core, config, wallets, prices, ending: ending.signal });
	const before = db.query<{ seq: number }>(
		"select coalesce(max(seq), 0) as seq from core.audit_entry",
	);
	const app = testHttpApp({ routes: [registry.routes], clock });
	return {
		...registry,
		prices,
		/** Runs the jobs once. */
		async sync() {
			for (const job of registry.jobs) await job.run({ signal: ending.signal });
		},
		person: () => insertPerson(db, { chainId: STOCK_CHAIN_ID, nowMs: clock.ms }),
		async end() {
			ending.abort();
			await registry.ended();
		},
		/** Makes a request as over HTTP, through the real gate. */
		async ask(path: string, { by, body, operator = null, ...options }: AskOptions = {}) {
			// Otherwise entries that this writes may count as older than the lab.
			await before;
			const headers = new Headers();
			if (by) headers.set("authorization", `Bearer ${by.profile.id}`);
			if (body !== undefined) headers.set("content-type", "application/json");
			if (operator !== null) {
				headers.set("x-api-key", ADMIN_KEY);
				headers.set("x-admin-actor", operator);
			}
			const method = options.method ?? (body === undefined ? "GET" : "POST");
			const sent = body === undefined ? {} : { body: JSON.stringify(body) };
			const request = new Request(`http://localhost${path}`, { method, headers, ...sent });
			const response = await app.handle(request);
			return { status: response.status, headers: response.headers, body: await response.json() };
		},
		/** Returns the audit log's entries since the lab was opened. */
		async audited(): Promise<Record<string, any>[]> {
			const [first] = await before;
			const rows = await db.query<{ entry: Record<string, any> }>(
				"select entry::jsonb as entry from core.audit_entry where seq > $1 order by seq",
				[first?.seq ?? 0],
			);
			return rows.map(({ entry }) => entry);
		},
	};
}
