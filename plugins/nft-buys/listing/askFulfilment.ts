import { Fault } from "#core/fault/Fault.ts";
import { sleep } from "#core/time/sleep.ts";
import type { BuyStep } from "#plugins/nft-buys/buySteps.ts";
import { AGAIN_AFTER_MS } from "#plugins/nft-buys/limits.ts";
import type { Provider, ProviderFulfilment } from "#plugins/provider/contract.ts";
import type { Channel } from "#plugins/wallets/contract.ts";

type Asked = Parameters<Provider["listingFulfilment"]>[0];

/**
 * Failures to reach the provider, or unreadable answers; a rate limit and a refusal are answers.
 */
const AGAIN = new Set(["provider_unavailable", "provider_unreadable"]);

/**
 * Requests the fulfilment of a listing from the provider; null where it is no longer available. A
 * manual buy asks once: its owner waits, and can retry. A snipe asks up to four times more, with a
 * short delay that doubles, unless the provider refused or has a rate limit.
 */
export async function askFulfilment(
	provider: Pick<Provider, "listingFulfilment">,
	asked: Asked,
	given: {
		channel: Channel;
		outbound: <Result>(step: BuyStep, call: () => Promise<Result>) => Promise<Result>;
		signal: AbortSignal;
		/** Waits for so many milliseconds; a test passes its own function and records them. */
		pause?: (ms: number, signal: AbortSignal) => Promise<void>;
	},
): Promise<ProviderFulfilment | null> {
	const { channel, outbound, signal, pause = sleep } = given;
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
			await pause(breakMs, signal);
			if (signal.aborted) throw error;
		}
	}
	return await ask();
}
