import { expect, test } from "bun:test";
import { type RadarDeps, radarJobs } from "#plugins/social/jobs.ts";
import { socialConfig } from "#plugins/social/limits.ts";

// Guarantee: the bot posts nothing by itself unless both switches are on.

test.each([
	[false, false, []],
	[true, false, []],
	[false, true, []],
	[true, true, ["social.radar"]],
])(
	"[SOC-06] with ENABLE_PROACTIVE_POSTS %p and ENABLE_TREND_POSTS %p the jobs are %p",
	(posts, trends, jobs) => {
		const config = socialConfig.parse({
			...{ ENABLE_PROACTIVE_POSTS: posts, ENABLE_TREND_POSTS: trends },
		});
		const deps = { core: {}, agent: {}, x: {}, config } as unknown as RadarDeps;
		expect(radarJobs(deps).map(({ name }) => name)).toEqual(jobs);
	},
);

test("[SOC-06] both switches are off unless they are set", () => {
	expect(socialConfig.parse({})).toMatchObject({
		...{ ENABLE_PROACTIVE_POSTS: false, ENABLE_TREND_POSTS: false },
	});
});
