import { join } from "node:path";
import { Elysia } from "elysia";
import { createAudit } from "#core/audit/createAudit.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Database } from "#core/db/Database.ts";
import { migrate } from "#core/db/migrate.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import { controlRoutes } from "#plugins/wallets/control/settings.ts";
import type { TradingSetting } from "#plugins/wallets/Wallets.ts";

export const ADMIN_KEY = "an-operator-s-key-0001";
export const NOW_MS = Date.UTC(2026, 10, 21, 12);
export const WALLET_ID = "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69";
const PROFILE_ID = "0198c1d2-7f1e-7a55-9f30-000000000001";

/** One process with the settings' routes behind the real gate. */
export function openControl(db: Database, contributed: readonly TradingSetting[] = []) {
	const clock = { ms: NOW_MS, nowMs: () => clock.ms };
	const core = {
		db,
		clock,
		audit: createAudit({ clock }),
		operators: createOperators({ apiKey: ADMIN_KEY, clock, metrics: createMetrics() }),
		chains: createChainRegistry(builtinChains),
	};
	const routes = controlRoutes({ core, contributed, plugins: () => ["transfers", "nft-buys"] });
	// Beside a route that is open to everybody, as in the plugin.
	const open = new Elysia().get("/v1/trading/settings", () => "open");
	const app = testHttpApp({ routes: [new Elysia().use(routes).use(open)], clock });
	const ask = async (path: string, init: { body?: unknown; headers?: Record<string, string> }) => {
		const method = init.body === undefined ? "GET" : "PUT";
		const request = new Request(`http://localhost/v1/admin/trading/settings${path}`, {
			method,
			headers: { "content-type": "application/json", "x-api-key": ADMIN_KEY, ...init.headers },
			...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
		});
		const response = await app.handle(request);
		const text = await response.text();
		return { status: response.status, headers: response.headers, body: JSON.parse(text) };
	};
	return {
		clock,
		ask,
		app,
		list: () => ask("", {}),
		put: (key: string, value: unknown, actor?: string) => {
			const headers = actor === undefined ? {} : { "x-admin-actor": actor };
			return ask(`/${key}`, { body: { value }, headers });
		},
		async audited() {
			const rows = await db.query<{ entry: Record<string, unknown> }>(
				"select entry::jsonb as entry from core.audit_entry order by seq",
			);
			return rows.map(({ entry }) => entry);
		},
	};
}

/** The wallets' tables, with one profile and one wallet. */
export async function prepareControl(db: Database): Promise<void> {
	const folder = join(import.meta.dir, "../../migrations");
	await migrate(db.connectionString, [{ schema: "wallets", folder }], silentLog);
	const at = new Date(NOW_MS);
	await db.execute("insert into wallets.profile (id, created_at) values ($1, $2)", [
		PROFILE_ID,
		at,
	]);
	await db.execute(
		`insert into wallets.wallet (id, profile_id, address, chain_id, capability, created_at)
		values ($1, $2, $3, 4663, 'embedded/delegated', $4)`,
		[WALLET_ID, PROFILE_ID, new Uint8Array(20).fill(1), at],
	);
}
