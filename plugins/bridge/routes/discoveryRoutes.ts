// Serves the chains and currencies of bridging, and balances on those chains.

import { Elysia } from "elysia";
import { z } from "zod";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { canBeReadByAnyPage, canFail } from "#core/http/routeMarks.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { readBalances } from "#plugins/bridge/bridges/readBalances.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { NAME_LENGTH_MAX } from "#plugins/bridge/limits.ts";
import { relayFault } from "#plugins/bridge/relay/createRelayClient.ts";
import type { RelayChain } from "#plugins/bridge/relay/Relay.ts";
import { readChainsOff } from "#plugins/bridge/sql/preferences.ts";
import type { SignedIn } from "#plugins/wallets/contract.ts";

const chainSchema = z
	.object({
		id: field.integer("EIP-155 id.", 8_453),
		slug: field.text("Its name in this API, or the provider's.", "base"),
		name: field.text("Its name for people.", "Base"),
		canSend: field.flag("Whether this service sends from there."),
		canReceive: field.flag("Whether bridges arrive there now."),
		reason: z
			.enum(["denied", "disabled", "lagging"])
			.nullable()
			.meta({ description: "Why nothing arrives there now; null: it does." }),
		symbol: field.text("Symbol of its coin.", "ETH"),
	})
	.meta({ id: "BridgeChain", description: "A chain that bridges lead to." });
const chainsSchema = z
	.object({
		chains: z.array(chainSchema).meta({ description: "EVM chains of the provider, by id." }),
		enabled: field.flag("Whether bridges are made here at all."),
		dryRun: field.flag("Whether they are only quoted."),
	})
	.meta({ id: "BridgeChainList", description: "Where bridges lead." });
const currencySchema = z
	.object({
		chainId: field.integer("Its chain.", 8_453),
		address: field.addressText("Its contract; the zero address is the chain's coin."),
		symbol: field.text("Its symbol.", "USDC"),
		name: field.text("Its name.", "USD Coin"),
		decimals: field.integer("Its decimals.", 6),
	})
	.meta({ id: "BridgeCurrency", description: "A currency that bridges carry." });
const currenciesSchema = z
	.object({
		currencies: z.array(currencySchema).meta({ description: "Verified by the provider." }),
	})
	.meta({ id: "BridgeCurrencyList", description: "Currencies of a chain." });
const balanceSchema = z
	.object({
		walletId: field.id("Which of your wallets."),
		address: field.addressText("Its address."),
		currency: field.addressText("The currency; the zero address is the chain's coin."),
		symbol: field.text("Its symbol.", "ETH"),
		balance: field.decimal("In whole units, exact.", "1.5"),
		balanceRaw: field.digits("In base units.", "1500000000000000000"),
	})
	.meta({ id: "BridgeBalance", description: "What a wallet holds of a currency." });
const balancesSchema = z
	.object({
		balances: z.array(balanceSchema).meta({ description: "The coin, and tokens that it holds." }),
	})
	.meta({ id: "BridgeBalanceList", description: "What your wallets hold on a chain." });

const chainQuery = z.object({
	chainId: z
		.string()
		.regex(/^[1-9][0-9]{0,15}$/, "must be the id of a chain")
		.transform(Number)
		.pipe(z.int())
		.meta({ type: "integer", description: "EIP-155 id of the chain.", examples: [8_453] }),
});

const tags = ["bridging"];
const LISTED_MAX = 100;

/** Returns the routes of chains and currencies, for everybody, and of balances, for their owner. */
export function discoveryRoutes(context: BridgeContext, signedIn: SignedIn) {
	const options = () => ({ purpose: "view", signal: AbortSignal.timeout(15_000) }) as const;
	const known = async (chainId: number): Promise<RelayChain> => {
		const chain = (await context.directory.knownChains(options())).find(({ id }) => id === chainId);
		if (!chain?.isEvm) throw bridgeFault.chainUnknown();
		return chain;
	};
	const failures = [relayFault.unavailable, relayFault.unreadable, relayFault.rateLimited];
	return new Elysia()
		.get("/chains", async () => await chainList(context, options()), {
			response: { 200: chainsSchema },
			detail: {
				...canBeReadByAnyPage(),
				...{ operationId: "listBridgeChains", tags, summary: "Lists chains that bridges lead to" },
				description: "EVM chains of the bridge provider, and whether they can be used now.",
				...canFail(relayFault.off, relayFault.refused, ...failures),
			},
		})
		.get(
			"/currencies",
			async ({ query }) => {
				await known(query.chainId);
				const { term } = query;
				const asked = { chainId: query.chainId, ...(term !== undefined && { term }) };
				const rows = await context.directory.currencies(asked, options());
				const verified = rows.filter(({ isVerified }) => isVerified).slice(0, LISTED_MAX);
				return { currencies: verified.map(({ isVerified: _, ...currency }) => currency) };
			},
			{
				query: chainQuery.extend({
					term: z
						.string()
						.max(NAME_LENGTH_MAX)
						.optional()
						.meta({ description: "Part of a name or symbol.", examples: ["USD"] }),
				}),
				response: { 200: currenciesSchema },
				detail: {
					...canBeReadByAnyPage(),
					...{ operationId: "listBridgeCurrencies", tags },
					summary: "Lists currencies of a chain that bridges carry",
					description: "Those that the provider vouches for; others go by their address.",
					...canFail(bridgeFault.chainUnknown, relayFault.off, relayFault.refused, ...failures),
				},
			},
		)
		.get(
			"/balances",
			async ({ request, query, set }) => {
				const { profile } = await signedIn({ request });
				set.headers["cache-control"] = "no-store";
				const chain = await known(query.chainId);
				return { balances: await readBalances(context, { profile, chain, options: options() }) };
			},
			{
				transform: async (hook) => void (await signedIn(hook)),
				query: chainQuery,
				response: { 200: balancesSchema },
				detail: {
					...{ operationId: "listBridgeBalances", tags },
					summary: "Reads what your wallets hold on a chain",
					description: "Read through this service's nodes, else the provider's public one.",
					security: [{ session: [] }],
					...canFail(httpFault.unauthorized, bridgeFault.chainUnknown, bridgeFault.chainUnreadable),
				},
			},
		);
}

async function chainList(
	context: BridgeContext,
	options: { purpose: "view"; signal: AbortSignal },
): Promise<z.output<typeof chainsSchema>> {
	const { core, directory, settings } = context;
	const [chains, off] = await Promise.all([directory.knownChains(options), readChainsOff(core.db)]);
	const reached = new Set(core.reached.map(({ chain }) => chain.id));
	const rows = chains
		.filter(({ isEvm }) => isEvm)
		.map((chain) => {
			const reason = reasonOf(chain, settings.deniedChainIds.has(chain.id) || off.has(chain.id));
			return {
				...{ id: chain.id, slug: core.chains.byId(chain.id)?.slug ?? chain.name },
				...{ name: chain.displayName, symbol: chain.currency.symbol, reason },
				...{ canReceive: reason === null, canSend: reason === null && reached.has(chain.id) },
			};
		});
	return {
		chains: rows.sort((one, other) => one.id - other.id),
		...{ enabled: settings.isOn, dryRun: settings.isDryRun },
	};
}

function reasonOf(chain: RelayChain, isDenied: boolean): "denied" | "disabled" | "lagging" | null {
	if (isDenied) return "denied";
	if (chain.isDisabled || chain.protocol === null) return "disabled";
	return chain.isLagging ? "lagging" : null;
}
