import { httpFault } from "#core/http/httpFault.ts";
import type { LimiterAnswer } from "#core/limiter/Limiter.ts";

/** Sets the headers with a client's remaining allowance; throws where the request was refused. */
export function grantAllowance(taken: LimiterAnswer, headers: Map<string, string>): void {
	headers.set("ratelimit-limit", String(taken.limit));
	headers.set("ratelimit-remaining", String(taken.remaining));
	headers.set("ratelimit-reset", String(Math.ceil(taken.resetMs / 1000)));
	if (taken.allowed) return;
	const seconds = Math.max(1, Math.ceil(taken.retryAfterMs / 1000));
	throw httpFault.rateLimited({
		public: `Rate limit exceeded: retry in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
		members: { provider: "svc", retryAfterMs: taken.retryAfterMs },
	});
}
