import { httpFault } from "#core/http/httpFault.ts";
import type { RequestContext } from "#core/http/requestContexts.ts";
import type { Limiter, LimiterAnswer } from "#core/limiter/Limiter.ts";
import type { Log } from "#core/log/Log.ts";

/**
 * Takes one request from the client's allowance and says in headers what is left.
 *
 * A limiter that cannot answer (a shared one that is away) lets requests through: market reads
 * without a limit are a smaller loss than no market reads.
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
	context.headers.set("ratelimit-limit", String(taken.limit));
	context.headers.set("ratelimit-remaining", String(taken.remaining));
	context.headers.set("ratelimit-reset", String(Math.ceil(taken.resetMs / 1000)));
	if (taken.allowed) return;
	const seconds = Math.max(1, Math.ceil(taken.retryAfterMs / 1000));
	throw httpFault.rateLimited({
		public: `Rate limit exceeded: retry in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
		members: { provider: "svc", retryAfterMs: taken.retryAfterMs },
	});
}
