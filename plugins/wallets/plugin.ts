import { join } from "node:path";
import { z } from "zod";
import { coreConfig } from "#core/config/coreConfig.ts";
import { AuditBookPoint, contribute, definePlugin } from "#core/plugin/Plugin.ts";
import { CustodyKey } from "#plugins/custody/contract.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { OwnedActionsPoint, TradingSettingPoint, WalletsKey } from "#plugins/wallets/contract.ts";
import { createWallets } from "#plugins/wallets/createWallets.ts";
import { executionConfig } from "#plugins/wallets/limits.ts";
import { identityConfig } from "#plugins/wallets/session/createSessions.ts";
import { walletsBook } from "#plugins/wallets/walletsBook.ts";

// The runtime's own, which links are made by where there is no PUBLIC_URL.
const { HOST, PORT } = coreConfig.shape;

/** Provides profiles, their wallets, sessions, and the one path by which money leaves. */
export const walletsPlugin = definePlugin({
	name: "wallets",
	version: "1",
	config: z.object({ ...identityConfig, ...executionConfig, HOST, PORT }),
	needs: { custody: CustodyKey, prices: PricesKey },
	offers: WalletsKey,
	tables: { schema: "wallets", folder: join(import.meta.dir, "migrations") },
	opens: [TradingSettingPoint, OwnedActionsPoint],
	contributes: [contribute(AuditBookPoint, walletsBook)],
	setup({ config, core, needs, contributions }) {
		const ending = new AbortController();
		const { service, routes, jobs, agent, degraded, start, ended } = createWallets({
			...needs,
			core,
			config,
			contributed: contributions(TradingSettingPoint),
			owned: contributions(OwnedActionsPoint),
			ending: ending.signal,
		});
		return { service, routes, jobs, ...agent, degraded, start, stop };

		async function stop(): Promise<void> {
			ending.abort();
			await ended();
		}
	},
});
