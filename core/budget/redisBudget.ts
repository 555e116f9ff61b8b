import { z } from "zod";
import { assertTerms } from "#core/budget/assertTerms.ts";
import type { Budget, BudgetAnswer, BudgetTerms } from "#core/budget/Budget.ts";
import { createTakeLog, type TakeLog } from "#core/budget/createTakeLog.ts";
import { RETRY_ALONE_MS, SHARE_ALONE_DIVISOR } from "#core/budget/limits.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Redis } from "#core/redis/Redis.ts";

/**
 * The list holds when each unit was taken, oldest first, on the server's clock. What left the
 * window is dropped (and what a clock that was set back put more than a window ahead).
 */
const TAKE = `
local amount, max, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local oldest = tonumber(redis.call('lindex', KEYS[1], 0) or now)
while oldest <= now - window or oldest > now + window do
  redis.call('lpop', KEYS[1])
  oldest = tonumber(redis.call('lindex', KEYS[1], 0) or now)
end
local taken = redis.call('llen', KEYS[1])
local tooMany = taken + amount - max
if tooMany > 0 then
  local leaves = tonumber(redis.call('lindex', KEYS[1], tooMany - 1)) + window
  return {0, math.max(0, max - taken), math.max(1, leaves - now)}
end
for unit = 1, amount do redis.call('rpush', KEYS[1], string.format('%d', now)) end
redis.call('pexpire', KEYS[1], window)
return {1, -tooMany, 0}
`;

const replySchema = z
	.tuple([z.literal([0, 1]), z.int().min(0), z.int().min(0)])
	.transform(([granted, remaining, retryAfterMs]) => {
		return { granted: granted === 1, remaining, retryAfterMs };
	});

/**
 * The budget of all processes together.
 *
 * Each process also remembers what it took itself. That bounds it in two cases: while Redis is
 * away it goes on with a share of the window, into which counts what Redis had granted it before;
 * and where Redis came back empty no single process is granted more than a whole window.
 */
export function redisBudget({ redis, clock }: { redis: Redis; clock: Clock }): Budget {
	const own = createTakeLog(clock);
	return {
		async take(name, terms) {
			assertTerms(terms);
			const judged = own.judge(name, terms);
			if (!judged.granted) return judged;
			const shared = await ask(redis, name, terms).catch(() => null);
			const answer = shared ?? alone(own, name, terms);
			if (answer.granted) own.add(name, terms);
			return answer;
		},
	};
}

async function ask(redis: Redis, name: string, terms: BudgetTerms): Promise<BudgetAnswer> {
	const { amount, perWindow, windowMs } = terms;
	const args = [TAKE, 1, redis.key("budget", name), amount, perWindow, windowMs];
	return replySchema.parse(await redis.send("EVAL", args));
}

function alone(own: TakeLog, name: string, terms: BudgetTerms): BudgetAnswer {
	const share = Math.max(1, Math.floor(terms.perWindow / SHARE_ALONE_DIVISOR));
	const answer = own.judge(name, { ...terms, perWindow: share });
	return terms.amount > share ? { ...answer, retryAfterMs: RETRY_ALONE_MS } : answer;
}
