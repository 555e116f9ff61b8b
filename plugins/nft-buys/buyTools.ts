// Offers the agent's tools and commands for buying an NFT.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import { type AnyTool, type Command, defineTool } from "#core/plugin/Tool.ts";
import type { FoundCollection, MarketIndex } from "#plugins/market-index/contract.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { findCheapest } from "#plugins/nft-buys/listing.ts";
import type { BuyContext } from "#plugins/nft-buys/model.ts";
import {
	answerIntent,
	bodyFields,
	chainOf,
	createdSchema,
	priceRaw,
} from "#plugins/nft-buys/routes/buys.ts";
import { renderIntent } from "#plugins/nft-buys/routes/intents.ts";
import type { Provider } from "#plugins/provider/contract.ts";
import {
	channelOf,
	endOfIntent,
	intentSentence,
	type Profile,
	TOOL_ROUTE,
} from "#plugins/wallets/contract.ts";

type BuyToolDeps = Omit<BuyContext, "market"> & {
	market: Pick<MarketIndex, "resolve">;
	provider: Pick<Provider, "slugOf" | "bestListings">;
	clock: Clock;
};

const CHEAPEST = "cheapest";

const inputSchema = z.strictObject({
	collection: z
		.string()
		.regex(/^(?=.*\S)[^\p{Cc}]*$/u, "must be text on one line")
		.max(200)
		.meta({
			description:
				"Its slug, contract address or whole name. A name that several have, or that only " +
				"resembles one, is asked back: anybody may give a collection the name of another.",
			examples: ["kiln-folk", "Kiln Folk"],
		}),
	token: z.union([z.literal(CHEAPEST), bodyFields.tokenId]).meta({
		description:
			"A token's id. Or `cheapest`: the one that is for sale for the least of the chain's own coin; " +
			"the answer, and what its owner says yes to, name it.",
		examples: ["12", CHEAPEST],
	}),
	maxPrice: bodyFields.price,
	chain: bodyFields.chain,
});

/**
 * Returns the agent's tools for buying a listing: at once for an author, by a link for all others.
 */
export function buyTools(deps: BuyToolDeps): AnyTool[] {
	return [buyTool(deps, "execute"), buyTool(deps, "prepare")];
}

export const buyCommands: readonly Command[] = [
	{
		name: "buy_nft",
		// Not `buy 12 of kiln-folk`, which means twelve units, nor `under 0.5`, which excludes 0.5.
		forms: [
			"buy {collection} {token} for at most {maxPrice} {coin} [on {chain}]",
			"buy {collection} {token} (up to|max) {maxPrice} {coin} [on {chain}]",
		],
		slots: {
			collection: { kind: "collection" },
			token: { kind: "token", hasSign: true },
			maxPrice: { kind: "amount" },
			// A slot, not a word of the form: a model must quote the coin from the author's text.
			coin: { kind: "word", of: ["eth"] },
			chain: { kind: "chain" },
		},
		tool: "buy_nft",
		prepares: "prepare_buy_nft",
		input: ({ coin: _, ...values }) => values,
		summary: "buys a token from its cheapest listing, up to a price",
		examples: ["buy kiln-folk #12 for at most 0.5 eth"],
	},
	{
		name: "buy_cheapest_nft",
		forms: [
			"buy cheapest {collection} for at most {maxPrice} {coin} [on {chain}]",
			"buy cheapest {collection} (up to|max) {maxPrice} {coin} [on {chain}]",
		],
		slots: {
			collection: { kind: "collection" },
			maxPrice: { kind: "amount" },
			coin: { kind: "word", of: ["eth"] },
			chain: { kind: "chain" },
		},
		tool: "buy_nft",
		prepares: "prepare_buy_nft",
		input: ({ coin: _, ...values }) => ({ ...values, token: CHEAPEST }),
		summary: "buys the token of a collection that costs least, up to a price",
		examples: ["buy cheapest kiln-folk for at most 0.5 eth"],
	},
];

function buyTool(deps: BuyToolDeps, effect: "prepare" | "execute"): AnyTool {
	const isPrepared = effect === "prepare";
	const name = isPrepared ? "prepare_buy_nft" : "buy_nft";
	return defineTool({
		name,
		title: isPrepared ? "Prepare a buy" : "Buy an NFT",
		description: isPrepared
			? "Prepares the buy of a listed token up to a price and returns the link by which you say " +
				"yes. Nothing is sent before that."
			: "Buys a token from its cheapest listing up to a price, within your limits. Where it must " +
				"not go at once, the answer has the link by which you say yes or sign.",
		capability: "nft_buys",
		effect,
		access: "profile",
		input: inputSchema,
		output: createdSchema,
		async run(input, { caller, idempotencyKey, signal }) {
			const principal = await deps.wallets.principalOf(caller);
			const resolved = await deps.market.resolve(input.collection, input.chain);
			if (resolved.kind === "choose") return resolved;
			const { found } = resolved;
			const chain = chainOf(deps, found.chain);
			const priceLimitRaw = String(priceRaw("maxPrice", { text: input.maxPrice, chain }));
			const tokenId =
				input.token === CHEAPEST
					? await cheapestOf(deps, { found, chain, profile: principal.profile, signal })
					: input.token;
			const response = await answerIntent(deps, {
				kind: "nft_buy",
				route: TOOL_ROUTE,
				from: { kind: "tool", idempotencyKey, channel: channelOf(caller), asks: isPrepared },
				principal,
				chain,
				walletId: undefined,
				body: { tool: name, ...input },
				wish: {
					contract: found.address,
					tokenId,
					quantity: "1",
					priceLimitRaw,
					orderHash: null,
				},
			});
			return { kind: "done", output: createdSchema.parse(await response.json()) };
		},
		line({ contract, tokenId, priceLimit, chain, status, errorCode, error }) {
			const which = tokenId === null ? "the cheapest" : `#${tokenId.slice(0, 20)}`;
			const what = `${which} of ${contract.slice(0, 6)}…${contract.slice(-4)}`;
			const coin = deps.chains.bySlug(chain)?.nativeCurrency.symbol ?? "";
			const most = priceLimit === null ? "" : ` for at most ${priceLimit} ${coin}`;
			return `Buying ${what}${most} on ${chain} ${intentSentence(status, errorCode, error)}.`;
		},
		asOfMs: () => null,
		links({ link, status }) {
			if (!link) return [];
			return [{ rel: status === "signature_required" ? "sign" : "confirm", url: link.url }];
		},
		order: {
			idOf: ({ id }) => id,
			async read(id, { caller }) {
				const { profile } = await deps.wallets.principalOf(caller);
				const intent = await deps.wallets.execution.read(id, profile.id);
				if (intent?.kind !== "nft_buy") throw buyFault.notFound();
				return { ...renderIntent(intent, deps.chains), link: null };
			},
			end: (one) => endOfIntent(one),
		},
	});
}

/**
 * Chooses the token before anything is recorded, so that the intent names it. Null where there is
 * none: the intent is then refused, and not the call, as the same key may have bought before.
 */
async function cheapestOf(
	{ provider, clock }: BuyToolDeps,
	asked: { found: FoundCollection; chain: Chain; profile: Profile; signal: AbortSignal },
): Promise<string | null> {
	const { found, chain, profile, signal } = asked;
	const makers = profile.wallets.map(({ address }) => address);
	const wanted = { chainId: chain.id, contract: found.address, makers, nowMs: clock.nowMs() };
	const tokenId = await findCheapest(provider, wanted, signal);
	return tokenId === null ? null : String(tokenId);
}
