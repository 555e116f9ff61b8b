// Opens the whole plugin over any chain, for tests.

import { createAudit } from "#core/audit/createAudit.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Database } from "#core/db/Database.ts";
import { httpFault } from "#core/http/faults.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import type { Core } from "#core/plugin/Core.ts";
import { tokenomicsPlugin } from "#plugins/tokenomics/plugin.ts";
import type { SettledTrade, Trading } from "#plugins/trading/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";
import { fakePrices } from "#test/harness/fakes.ts";

const ADMIN_KEY = "an-operator-s-key-0001";

/** Returns the one wallet of a profile. */
export function walletOf(profileId: string): Address {
	return `0x${profileId.replaceAll("-", "").slice(0, 8).padEnd(40, "e")}`;
}

/** Opens the whole plugin behind the real gate, over any chain 4663. */
export async function openTokenLab(given: {
	db: Database;
	rpc: Rpc | null;
	env?: Record<string, string>;
	/** What was traded, in order of time. */
	trades?: readonly SettledTrade[];
}) {
	const { db, rpc, env = {}, trades = [] } = given;
	const chains = createChainRegistry(builtinChains);
	const chain = chains.byId(4_663);
	if (!chain) throw new Error("chain 4663 is built in");
	const clock = { ms: 1_795_100_000_000, nowMs: () => clock.ms };
	const metrics = createMetrics();
	const core = {
		...{ role: "all", db, clock, log: silentLog, chains, metrics },
		audit: createAudit({ clock }),
		operators: createOperators({ apiKey: ADMIN_KEY, clock, metrics: createMetrics() }),
		reached: rpc === null ? [] : [{ chain, rpcFor: () => rpc, headUrls: [] }],
	} as unknown as Core;
	const section = { owner: "tokenomics", schema: tokenomicsPlugin.config };
	const config = parseConfig([section], env).of(section);
	const trading: Trading = {
		settledTrades: async ({ fromMs, toMs, afterId, limit }) =>
			trades
				.filter(({ createdAt }) => createdAt.getTime() >= fromMs && createdAt.getTime() < toMs)
				.filter(({ id }) => afterId === null || id > afterId)
				.slice(0, limit),
	};
	const wallets = fakeWallets();
	const parts = await tokenomicsPlugin.setup({
		...{ core, config, needs: { wallets, trading, prices: fakePrices(chains) } },
		contributions: () => [],
		collected: () => {
			throw new Error("nothing is collected here");
		},
	});
	const app = testHttpApp({ routes: parts.routes ? [parts.routes] : [], clock });
	const { signal } = new AbortController();
	return {
		...{ parts, clock, metrics, config },
		/** Runs the jobs of one name, once. */
		async run(name: string) {
			for (const job of parts.jobs ?? []) if (job.name === name) await job.run({ signal });
		},
		async ask(
			path: string,
			{
				body,
				operator = null,
				profile = null,
			}: { body?: unknown; operator?: string | null; profile?: string | null } = {},
		) {
			const headers = new Headers();
			if (profile !== null) headers.set("x-test-profile", profile);
			if (body !== undefined) headers.set("content-type", "application/json");
			if (operator !== null) {
				headers.set("x-api-key", ADMIN_KEY);
				headers.set("x-admin-actor", operator);
			}
			const method = body === undefined ? "GET" : "PUT";
			const sent = body === undefined ? {} : { body: JSON.stringify(body) };
			const request = new Request(`http://localhost${path}`, { method, headers, ...sent });
			const response = await app.handle(request);
			const text = await response.text();
			const isJson = response.headers.get("content-type")?.includes("json");
			const { status } = response;
			return { status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
		},
		async audited(): Promise<Record<string, unknown>[]> {
			const rows = await db.query<{ entry: Record<string, unknown> }>(
				"select entry::jsonb as entry from core.audit_entry order by seq",
			);
			return rows.map(({ entry }) => entry);
		},
		/** Records a run of a buyback, whose intent is confirmed. */
		recordRun: () =>
			db.execute(
				`insert into tokenomics.buyback_run (chain_id, slot, router, currency, symbol, decimals,
					spend_raw, usd_micros, intent_id, started_at)
				values (4663, 1, $1, $1, 'ETH', 18, 5, 1, gen_random_uuid(), now())`,
				[Buffer.alloc(20)],
			),
		clear: () =>
			db.execute(
				`truncate tokenomics.followed, tokenomics.entry, tokenomics.total, tokenomics.holder,
					tokenomics.transfer, tokenomics.currency, tokenomics.manifest, tokenomics.standing,
					tokenomics.season, tokenomics.buyback_run`,
			),
	};
}

/** Knows a profile by its id alone, and takes anybody's word for it. */
function fakeWallets(): Wallets {
	const principal = (profileId: string) => {
		const wallet = { id: "w", address: walletOf(profileId) };
		return { profile: { id: profileId, canonicalWalletId: "w", wallets: [wallet] } };
	};
	return {
		principalOf: async ({ profileId }: { profileId: string }) => principal(profileId),
		async authenticate({ headers }: Request) {
			const profileId = headers.get("x-test-profile");
			if (profileId === null) throw httpFault.unauthorized();
			return principal(profileId);
		},
		execution: {
			register() {},
			held: async (_: unknown, ids: readonly string[]) =>
				ids.map((intentId) => ({
					intentId,
					status: intentId.startsWith("failed") ? "failed" : "confirmed",
					...{ errorCode: null, error: null, transactionHash: null, raw: 5n },
				})),
		},
	} as unknown as Wallets;
}
