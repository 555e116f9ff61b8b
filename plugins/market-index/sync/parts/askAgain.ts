import { Fault } from "#core/fault/Fault.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import { ASKED_AGAIN_AFTER_MS, ASKED_AGAIN_LOOKS_MAX } from "#plugins/market-index/sync/limits.ts";

/**
 * Calls the provider, and a second time where it answered before this call, or answers others soon
 * after: then only this call failed. A provider that is away is not called again.
 */
export async function askAgain<Answer>(
	{ provider, wait }: Pick<SyncContext, "provider" | "wait">,
	signal: AbortSignal,
	ask: () => Promise<Answer>,
): Promise<Answer> {
	const answeredBefore = provider.isConnected() === true;
	try {
		return await ask();
	} catch (error) {
		if (!(error instanceof Fault) || error.code !== "provider_unavailable") throw error;
		if (provider.isConnected() === null) throw error;
		for (let looks = 0; looks < ASKED_AGAIN_LOOKS_MAX && !signal.aborted; looks++) {
			await wait(ASKED_AGAIN_AFTER_MS, signal);
			const isThere = answeredBefore || provider.isConnected() === true;
			if (isThere && !signal.aborted) return ask();
		}
		throw error;
	}
}
