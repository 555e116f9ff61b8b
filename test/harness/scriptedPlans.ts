import { z } from "zod";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createSteps } from "#core/steps/createSteps.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { createEvaluator } from "#plugins/reveal-snipe/plans/createEvaluator.ts";
import { createPlans } from "#plugins/reveal-snipe/plans/createPlans.ts";
import type { PlansContext } from "#plugins/reveal-snipe/plans/PlansContext.ts";
import type { IntentKind } from "#plugins/wallets/contract.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";
import { CHAIN_ID, type Lab } from "#plugins/wallets/testing/executionLab.ts";

export type ScriptedPlansOptions = {
	/** Returns the listings of a collection; `collection-7` is the seventh. */
	listings(collectionId: number): readonly TokenListing[];
	/** Error codes with which the next buys are refused, in order. */
	denials?: string[];
	/** Called in the transaction that records intents. */
	onCreate?: PlansContext["wallets"]["execution"]["create"];
};

/** Opens plans over the execution path, with a scripted chain, and no marketplace. */
export function scriptedPlans(lab: Lab, options: ScriptedPlansOptions) {
	const { listings, denials = [], onCreate } = options;
	const chains = createChainRegistry(builtinChains);
	lab.execution.register(buyKind(lab, denials));
	const context: PlansContext = {
		core: { db: lab.db, clock: lab.clock, log: silentLog, chains, session: "tapeline test" },
		served: chains.all.filter(({ id }) => id === CHAIN_ID),
		market: {
			find: async (slug) => {
				const id = Number(slug.replace("collection-", ""));
				return { id, chain: "anvil", address: `0x${String(id).padStart(40, "c")}`, slug };
			},
			touch() {},
			reveals: { subjects: async () => [] },
			book: {
				listings: async (id) => [...listings(id)],
				watch: async () => {},
				traitValues: async () => [],
				floor: async () => null,
				normaliseTrait: (text) => text,
			},
		},
		wallets: {
			async principalOf({ profileId }) {
				const profile = profileId && (await readProfile(lab.db, { id: profileId }));
				if (!profile) throw httpFault.unauthorized();
				return { profile, sessionId: null };
			},
			once: lab.once,
			execution: { ...lab.execution, ...(onCreate && { create: onCreate }) },
		},
		steps: createSteps(null),
		isOn: true,
	};
	return {
		context,
		plans: createPlans(context),
		/** Makes an evaluator as in another process: its own turns, the same database. */
		evaluator: (fillsPerMinute = 600) =>
			createEvaluator(context, {
				budget: inProcessBudget({ clock: lab.clock }),
				fillsPerMinute,
				ending: lab.signal,
			}),
	};
}

const requestSchema = z.object({ priceLimitRaw: z.string() });

/** Returns a kind of buy whose plan is its request, or the test's next denial. */
function buyKind(lab: Lab, denials: string[]): IntentKind<unknown> {
	return {
		name: "nft_buy",
		plugin: "lab",
		request: z.unknown(),
		steps: [],
		deny: () => null,
		settle: async () => null,
		async prepare(intent, { wallet }) {
			const code = denials.shift();
			if (code) return { kind: "denied", denial: { code, detail: code } };
			const raw = BigInt(requestSchema.parse(intent.request).priceLimitRaw);
			const data = `0x${intent.id.replaceAll("-", "")}` as const;
			return {
				kind: "plan",
				plan: {
					...{ chainId: CHAIN_ID, from: wallet.address, to: `0x${"5".repeat(40)}`, valueRaw: raw },
					...{ data, recipient: null, shown: {}, expiresAtMs: lab.clock.ms + 300_000 },
					spend: { currency: ZERO_ADDRESS, raw, decimals: 18, symbol: "ETH" },
				},
			};
		},
	};
}
