import type { Chain } from "#core/chain/Chain.ts";
import { assert } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import type { BuyRequest } from "#plugins/nft-buys/buyRequest.ts";
import { ADVANCE_TIMEOUT_MS, ANSWER_IDLE_SECONDS } from "#plugins/nft-buys/limits.ts";
import type { BuyContext } from "#plugins/nft-buys/routes/BuyContext.ts";
import { payingWallet } from "#plugins/nft-buys/routes/payingWallet.ts";
import { renderIntent } from "#plugins/nft-buys/routes/renderIntent.ts";
import type { Channel, Intent, Principal, Recorded } from "#plugins/wallets/contract.ts";

type FromRoute = { kind: "route"; request: Request };
type FromTool = {
	kind: "tool";
	idempotencyKey: string | null;
	channel: Channel;
	/** True: the owner must agree by a link first, whatever their profile says. */
	asks: boolean;
};

type Asked = {
	kind: "nft_buy" | "nft_offer";
	/** Names the request together with its key. */
	route: string;
	from: FromRoute | FromTool;
	principal: Principal;
	chain: Chain;
	walletId: string | undefined;
	/** The parsed body; two requests with equal bodies are the same request. */
	body: unknown;
	wish: BuyRequest;
};

/**
 * Records a request, executes it as far as possible without its owner, and answers its state: 201,
 * also for a refusal. A closed connection does not stop it.
 */
export async function answerIntent(context: BuyContext, asked: Asked): Promise<Response> {
	const { wallets, chains } = context;
	const { principal, chain, kind, wish, route, body, from } = asked;
	const { profile } = principal;
	const wallet = payingWallet(profile, asked.walletId);
	// If the answer were lost, the owner might buy once more.
	if (from.kind === "route") requestContexts.get(from.request)?.keepOpen(ANSWER_IDLE_SECONDS);
	const { idempotencyKey, channel, asks } = from.kind === "tool" ? from : ofRoute(from.request);
	return await wallets.once({
		...{ principal, route, idempotencyKey, body },
		intents: [{ kind, profile, wallet, chainId: chain.id, channel, asks, request: wish }],
		async answer(intentIds, recorded) {
			const intent = await goOn(context, { profileId: profile.id, intentIds, recorded });
			assert(intent, "an intent that was created is there");
			const asking = await wallets.execution.asking(intent);
			const purpose = PURPOSES.get(asking.status);
			const link = purpose ? await wallets.link(asking, purpose) : null;
			const expiresAt = link && new Date(link.expiresAtMs).toISOString();
			return {
				status: 201,
				body: { ...renderIntent(intent, chains), link: link && { url: link.url, expiresAt } },
			};
		},
	});
}

function ofRoute({ headers }: Request): Omit<FromTool, "kind"> {
	return { idempotencyKey: headers.get("idempotency-key"), channel: "api", asks: false };
}

type Made = {
	profileId: string;
	intentIds: readonly string[];
	recorded: Recorded | null;
};

/**
 * Continues the request, and returns its intent. If that fails now, the intent is returned as it is
 * and the service retries later: an error would make the owner buy once more.
 */
async function goOn(
	{ wallets, log, ending }: BuyContext,
	{ profileId, intentIds, recorded }: Made,
): Promise<Intent | null> {
	const { execution } = wallets;
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
		const [intent = null] = await execution.advance(intentIds, signal, recorded);
		return intent;
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		log[level]("a buy could not be taken further now", { error });
		const [id] = intentIds;
		return id === undefined ? null : await execution.read(id, profileId);
	}
}

/** What the owner is asked to do, by the intent's state. */
const PURPOSES = new Map<string, "confirm" | "sign">([
	["confirmation_required", "confirm"],
	["signature_required", "sign"],
]);
