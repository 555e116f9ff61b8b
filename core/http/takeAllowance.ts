import { grantAllowance } from "#core/http/grantAllowance.ts";
import type { RequestContext } from "#core/http/requestContexts.ts";
import type { Limiter, LimiterAnswer } from "#core/limiter/Limiter.ts";
import type { Log } from "#core/log/Log.ts";

/**
 * Takes one request from the client's allowance and sets the headers with the rest; throws if it is
 * used up.
 *
 * If the limiter fails (a shared one that is unreachable), requests pass: market reads without a
 * limit are a smaller loss than no market reads.
 */
export async function takeAllowance(options: {
	limiter: Limiter;
	context: RequestContext;
	log: Log;
}): Promise<void> {
	const { limiter, context, log } = options;
	let taken: LimiterAnswer;
	try {
		taken = await limiter.take(context.clientAddress);
	} catch (error) {
		log.warn("the limiter cannot answer, the request passes", { error });
		return;
	}
	grantAllowance(taken, context.headers);
}
