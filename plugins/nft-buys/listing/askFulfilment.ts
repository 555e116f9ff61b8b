import { Fault } from "#core/fault/Fault.ts";
import { sleep } from "#core/time/sleep.ts";
import type { BuyStep } from "#plugins/nft-buys/buySteps.ts";
import { AGAIN_AFTER_MS } from "#plugins/nft-buys/limits.ts";
import type { Provider, ProviderFulfilment } from "#plugins/provider/contract.ts";
import type { Channel } from "#plugins/wallets/contract.ts";

type Asked = Parameters<Provider["listingFulfilment"]>[0];

/** What did not reach the provider, or came back broken; a limit and a refusal are answers. */
const AGAIN = new Set(["provider_unavailable", "provider_unreadable"]);

/**
 * Asks the provider how a listing is filled; null where it does not fill it any more. A buy by hand
 * asks once: its owner waits, and asks again if they like. A snipe asks up to four times more, with
 * a short break that doubles, unless the provider said no or that it is asked too often.
 */
export async function askFulfilment(
	provider: Pick<Provider, "listingFulfilment">,
	asked: Asked,
	given: {
		channel: Channel;
		outbound: <Result>(step: BuyStep, call: () => Promise<Result>) => Promise<Result>;
		signal: AbortSignal;
	},
): Promise<ProviderFulfilment | null> {
	const { channel, outbound, signal } = given;
	const breaksMs = channel === "snipe" ? AGAIN_AFTER_MS : [];
	const ask = () =>
		outbound("nft_buy.fulfilment", () =>
			provider.listingFulfilment(asked, { purpose: "request", signal }),
		);
	for (const breakMs of breaksMs) {
		try {
			return await ask();
		} catch (error) {
			if (signal.aborted || !(error instanceof Fault) || !AGAIN.has(error.code)) throw error;
		}
		await sleep(breakMs, signal);
	}
	return await ask();
}
