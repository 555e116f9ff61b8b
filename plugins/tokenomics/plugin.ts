import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Elysia } from "elysia";
import { z } from "zod";
import { hexOf } from "#core/chain/Hex.ts";
import type { Core } from "#core/plugin/Core.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import type { Job } from "#core/schedule.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { buybackConfig } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { openBuyback } from "#plugins/tokenomics/buyback/openBuyback.ts";
import { createEconomics } from "#plugins/tokenomics/economics/createEconomics.ts";
import { createRewards } from "#plugins/tokenomics/economics/createRewards.ts";
import { economicsCommands, economicsTools } from "#plugins/tokenomics/economicsTools.ts";
import { leagueJob } from "#plugins/tokenomics/league.ts";
import { learnCurrencies } from "#plugins/tokenomics/ledger/compareLedger.ts";
import { createLedger } from "#plugins/tokenomics/ledger/createLedger.ts";
import { tokenomicsConfig } from "#plugins/tokenomics/limits.ts";
import { type Contracts, createContracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { economicsRoutes, rewardsRoutes } from "#plugins/tokenomics/routes/economicsRoutes.ts";
import { manifestRoutes } from "#plugins/tokenomics/routes/manifestRoutes.ts";
import { treasuryRoutes } from "#plugins/tokenomics/routes/treasuryRoutes.ts";
import { TradingKey } from "#plugins/trading/contract.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

/** The token's economics: what revenue is split into, what is burned, who trades most. */
export const tokenomicsPlugin = definePlugin({
	name: "tokenomics",
	version: "1",
	config: z.object({ ...tokenomicsConfig, ...buybackConfig }),
	needs: { wallets: WalletsKey, prices: PricesKey, trading: TradingKey },
	tables: { schema: "tokenomics", folder: join(import.meta.dir, "migrations") },
	setup({ core, config, needs: { wallets, prices, trading } }) {
		const ending = new AbortController();
		const contracts = createContracts({ core, config });
		const { signal } = ending;
		const buyback = openBuyback({ core, config, wallets, prices, contracts, ending: signal });
		const made = createEconomics({ ...core, contracts, buybackStatus: buyback.status });
		const { economics } = made;
		const rewards = createRewards({ ...core, rows: made.rows });
		const ledger = openLedger(core, contracts, config.TOKEN_FINAL_DEPTH_BLOCKS);
		const league = leagueJob({ ...core, trading, wallets });
		return {
			routes: new Elysia()
				.use(economicsRoutes({ economics }))
				.use(rewardsRoutes({ rewards, wallets }))
				.use(manifestRoutes({ core, contracts, ending: signal }))
				.use(treasuryRoutes({ core, contracts })),
			jobs: [...(ledger ? [ledger.job] : []), league, ...buyback.jobs],
			tools: economicsTools({ economics, rewards, wallets }),
			commands: economicsCommands,
			degraded: async () => [
				...(ledger ? await ledger.degraded() : []),
				...(await buyback.degraded()),
			],
			start: buyback.start,
			async stop() {
				ending.abort();
				await buyback.ended();
			},
		};
	},
});

const ADDRESS_BYTES = 20;

/** Opens the ledger; null where this deployment does not reach the home chain. */
function openLedger(core: Core, contracts: Contracts, finalDepth: number) {
	const { db, clock, log, metrics } = core;
	const { home } = contracts;
	if (!home) return null;
	const { chain } = home;
	const inForce = () => contracts.addressesOf(chain.id);
	const ledger = createLedger({
		...{ db, clock, log, metrics, finalDepth, rpc: home.rpcFor("catch_up"), contracts: inForce },
		currencies: contracts.currencies,
		randomAddress: () => hexOf(randomBytes(ADDRESS_BYTES)),
	});
	const names = { db, clock, rpc: home.rpcFor("names"), chain };
	const job: Job = {
		...ledger.job,
		async run(context) {
			await ledger.job.run(context);
			const found = await inForce();
			const { signal } = context;
			if (found) await learnCurrencies(names, found, { named: contracts.currencies, signal });
		},
	};
	return { ...ledger, job };
}
