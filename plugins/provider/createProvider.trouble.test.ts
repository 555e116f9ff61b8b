import { describe, expect, test } from "bun:test";
import { providerLab } from "#plugins/provider/testing/providerLab.ts";
import { rows } from "#plugins/provider/testing/rows.ts";

const request = { purpose: "request" } as const;
const background = { purpose: "background" } as const;
const page = () => Response.json({ collections: [rows.collection()] });
const throttled = (headers: Record<string, string> = {}, status = 429) =>
	Response.json({ detail: "Request was throttled." }, { status, headers });

describe("429", () => {
	for (const status of [429, 599]) {
		test(`[MRG-08] a burst ${status} is asked again once, after its block`, async () => {
			using lab = providerLab((_, turn) =>
				turn === 1 ? throttled({ "retry-after": "2" }, status) : page(),
			);
			const found = await lab.provider.top(request);
			expect(found.items).toHaveLength(1);
			expect(lab.seen).toHaveLength(2);
			expect((lab.sentAtMs[1] ?? 0) - (lab.sentAtMs[0] ?? 0)).toBe(2_000);
			expect(lab.lines).toEqual([]);
		});

		test(`[MRG-09] ${status} again is rate_limited with the provider and the wait`, async () => {
			using lab = providerLab(() => throttled({ "retry-after": "2" }, status));
			await expect(lab.provider.top(request)).rejects.toMatchObject({
				code: "rate_limited",
				status: 429,
				members: { provider: "opensea", retryAfterMs: 2_000 },
			});
			expect(lab.seen).toHaveLength(2);
			expect(lab.lines).toHaveLength(1);
		});
	}

	test("[MRG-09] a long block is told at once, and nothing is sent while it lasts", async () => {
		using lab = providerLab((_, turn) =>
			turn === 1 ? throttled({ "retry-after": "30" }) : page(),
		);
		const told = { code: "rate_limited", members: { retryAfterMs: 30_000 } };
		await expect(lab.provider.top(request)).rejects.toMatchObject(told);
		lab.time.nowMs += 10_000;
		const later = { code: "rate_limited", members: { retryAfterMs: 20_000 } };
		await expect(lab.provider.stats("cats", background)).rejects.toMatchObject(later);
		expect(lab.seen).toHaveLength(1);
		lab.time.nowMs += 20_000;
		expect((await lab.provider.top(request)).items).toHaveLength(1);
	});

	const date = "Fri, 02 Jan 2026 10:00:00 GMT";
	const later = "Fri, 02 Jan 2026 10:00:07 GMT";
	const reset = String(Date.parse(later) / 1_000);
	const forms: [string, Record<string, string>, number][] = [
		["seconds", { "retry-after": "7" }, 7_000],
		["a date, whatever our clock says", { "retry-after": later, date }, 7_000],
		["the reset of a used-up allowance", allowance("0", reset), 7_000],
		["an hour, which is capped", { "retry-after": "3600" }, 300_000],
		["no header", {}, 1_000],
		["0, which says nothing", { "retry-after": "0" }, 1_000],
		["5s, which is no form", { "retry-after": "5s" }, 1_000],
		["1.5, which is no form", { "retry-after": "1.5" }, 1_000],
		["-3, which is no form", { "retry-after": "-3" }, 1_000],
		["a date gone by", { "retry-after": date, date: later }, 1_000],
		["a reset in milliseconds, of no known form", allowance("0", `${reset}000`), 1_000],
	];
	for (const [form, headers, waitMs] of forms) {
		test(`[MRG-09] retry-after as ${form}: ${waitMs} ms`, async () => {
			using lab = providerLab(() => throttled(headers));
			// A fulfilment is not sent again, so the first block is reported.
			await expect(fulfil(lab)).rejects.toMatchObject({ members: { retryAfterMs: waitMs } });
			expect(lab.seen).toHaveLength(1);
		});
	}

	test("an allowance used up with the last answer is waited for, not asked against", async () => {
		using lab = providerLab(() =>
			Response.json({ collections: [] }, { headers: { date, ...allowance("0", reset) } }),
		);
		await lab.provider.top(request);
		const told = { code: "rate_limited", members: { retryAfterMs: 7_000 } };
		await expect(lab.provider.top(request)).rejects.toMatchObject(told);
		expect(lab.seen).toHaveLength(1);
	});

	test("a body that is no JSON changes nothing", async () => {
		using lab = providerLab(() => new Response("<html>slow down", { status: 429 }));
		await expect(lab.provider.top(request)).rejects.toMatchObject({ code: "rate_limited" });
	});

	function allowance(remaining: string, until: string): Record<string, string> {
		return { date, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": until };
	}
});

describe("an invalid answer", () => {
	test("[MRG-15] 5xx is unavailable, and the private detail quotes what was said", async () => {
		const bodies = [
			[JSON.stringify({ errors: ["Internal\u0007 error"] }), "Internal error"],
			[JSON.stringify({ errors: [{ code: 7 }] }), '{"code":7}'],
			[JSON.stringify({ detail: "down" }), "down"],
			[JSON.stringify({ error: { message: "gone", status: 500 } }), "gone"],
			["<html>Bad gateway</html>", "<html>Bad gateway</html>"],
			["", "(nothing)"],
		] as const;
		for (const [body, said] of bodies) {
			using lab = providerLab(() => new Response(body, { status: 502 }));
			await expect(lab.provider.top(request)).rejects.toMatchObject({
				code: "provider_unavailable",
				privateDetail: `HTTP 502: ${said}`,
			});
			expect(lab.provider.isConnected()).toBe(false);
		}
	});

	test("[MRG-15] any other 4xx is refused, without what we sent in public", async () => {
		using lab = providerLab(() => Response.json({ errors: ["bad key abc"] }, { status: 401 }));
		const fault = await lab.provider.top(request).catch((error) => error);
		expect(fault).toMatchObject({
			code: "provider_refused",
			privateDetail: "HTTP 401: bad key abc",
		});
		expect(fault.publicDetail).not.toContain("abc");
		expect(lab.provider.isConnected()).toBe(true);
	});

	test("[MRG-15] silence ends with its time, and so does a drip", async () => {
		const never = new Promise<Response>(() => {});
		using silent = providerLab(() => never, { timeoutMs: 60 });
		await expect(silent.provider.top(request)).rejects.toMatchObject({
			code: "provider_unavailable",
			privateDetail: "no answer in time",
		});
		const drip = () =>
			new ReadableStream({
				async pull(controller) {
					controller.enqueue(new TextEncoder().encode(" "));
					await Bun.sleep(5);
				},
			});
		using dripping = providerLab(() => new Response(drip()), { timeoutMs: 60 });
		await expect(dripping.provider.top(request)).rejects.toMatchObject({
			code: "provider_unavailable",
		});
	});

	test("[MRG-15] a body of 200 MB is refused after 8 MiB, announced or not", async () => {
		const mebibyte = new Uint8Array(1_024 * 1_024).fill(32);
		let sent = 0;
		const endless = () =>
			new ReadableStream({
				pull(controller) {
					sent += mebibyte.byteLength;
					if (sent > 200 * mebibyte.byteLength) controller.close();
					else controller.enqueue(mebibyte);
				},
			});
		using lab = providerLab(() => new Response(endless()));
		await expect(lab.provider.top(request)).rejects.toMatchObject({ code: "provider_unreadable" });
		expect(sent).toBeLessThan(100 * mebibyte.byteLength);
		using announced = providerLab(() => new Response(new Uint8Array(9 * 1_024 * 1_024)));
		await expect(announced.provider.top(request)).rejects.toMatchObject({
			code: "provider_unreadable",
		});
		const packed = Bun.gzipSync(new Uint8Array(64 * 1_024 * 1_024).fill(32));
		const headers = { "content-encoding": "gzip", "content-type": "application/json" };
		using bomb = providerLab(() => new Response(packed, { headers }));
		await expect(bomb.provider.top(request)).rejects.toMatchObject({ code: "provider_unreadable" });
	});

	test("[MRG-15] HTML, cut JSON, no JSON and no body are unreadable, and told once", async () => {
		const answers = [
			() => new Response("<html>hello</html>", { headers: { "content-type": "text/html" } }),
			() => new Response('{"collections":[]}', { headers: { "content-type": "text/html" } }),
			() => new Response('{"collections":[{"collection":"ca'),
			() => new Response("NaN"),
			() => new Response(null, { status: 204 }),
			() => new Response("[".repeat(4_000_000)),
		];
		using lab = providerLab((_, turn) => (answers[turn - 1] ?? page)());
		for (const _ of answers) {
			await expect(lab.provider.top(request)).rejects.toMatchObject({
				code: "provider_unreadable",
			});
		}
		expect(lab.lines).toHaveLength(1);
		expect((await lab.provider.top(request)).items).toHaveLength(1);
		lab.time.nowMs += 60_000;
	});

	test("[MRG-15] an envelope of another shape is unreadable, never an empty list", async () => {
		const wrong = [null, [], "x", 7, {}, { collections: {} }, { collections: [1, null, {}] }];
		for (const answer of wrong) {
			using lab = providerLab(() => Response.json(answer));
			await expect(lab.provider.top(request)).rejects.toMatchObject({
				code: "provider_unreadable",
			});
		}
	});

	test("rows of other chains beside rows that cannot be read are no empty list either", async () => {
		const elsewhere = rows.sale({ chain: "solana", seller: "So1ana" });
		const asset_events = [elsewhere, rows.sale({ quantity: "many" })];
		using lab = providerLab(() => Response.json({ asset_events }));
		const unreadable = { code: "provider_unreadable" };
		await expect(lab.provider.events("cats", request)).rejects.toMatchObject(unreadable);
		asset_events.pop();
		expect(await lab.provider.events("cats", request)).toEqual({ items: [], cursor: null });
	});

	test("an event that cannot be read says when it was, where that can be read", async () => {
		const bad = [rows.sale({ quantity: "many", event_timestamp: 1_700_000_000 }), 7];
		using lab = providerLab(() => Response.json({ asset_events: [rows.sale(), ...bad] }));
		const page = await lab.provider.events("cats", request);
		expect(page).toMatchObject({ unreadable: 2, unreadableAtMs: [1_700_000_000_000, null] });
	});

	test("a redirect is not followed, and the key goes nowhere else", async () => {
		using elsewhere = providerLab(page);
		using lab = providerLab(() => Response.redirect(`${elsewhere.url}/api/v2/x`, 302), {
			apiKey: "k-secret",
		});
		const fault = await lab.provider.top(request).catch((error) => error);
		expect(fault.code).toBe("provider_unavailable");
		expect(elsewhere.seen).toHaveLength(0);
		expect(JSON.stringify([fault.privateDetail, lab.lines])).not.toContain("k-secret");
	});

	test("nobody there is unavailable, without the URL", async () => {
		const lab = providerLab(page);
		lab[Symbol.dispose]();
		const fault = await lab.provider.top(request).catch((error) => error);
		expect(fault).toMatchObject({ code: "provider_unavailable" });
		expect(fault.privateDetail).not.toContain("127.0.0.1");
	});
});

describe("around the calls", () => {
	test("[MRG-15] one bad row costs itself and one line", async () => {
		const bad = [null, 7, "x", { name: "no slug" }, { collection: "../x" }];
		using lab = providerLab(() => Response.json({ collections: [...bad, rows.collection()] }));
		const found = await lab.provider.top(request);
		expect(found.items.map(({ slug }) => slug)).toEqual(["cats"]);
		await lab.provider.top(request);
		expect(lab.lines.map(({ context }) => context)).toEqual([{ endpoint: "top", rows: 5 }]);
		const { body } = await lab.metrics.expose();
		expect(body).toContain('tapeline_provider_unreadable_rows_total{endpoint="top"} 10');
		expect(body).toContain('tapeline_provider_calls_total{endpoint="top",outcome="ok"} 2');
	});

	test("an outage is one line a minute, which counts the others", async () => {
		using lab = providerLab(() => new Response("", { status: 500 }));
		for (let turn = 0; turn < 5; turn++) await lab.provider.top(request).catch(() => {});
		lab.time.nowMs += 60_000;
		await lab.provider.top(request).catch(() => {});
		expect(lab.lines).toHaveLength(2);
		expect(lab.lines[1]?.context).toMatchObject({ untold: 4 });
	});

	test("a call that its caller aborts says nothing about the provider", async () => {
		const giving = new AbortController();
		using lab = providerLab(() => {
			giving.abort();
			return new Promise<Response>(() => {});
		});
		const call = lab.provider.top({ ...request, signal: giving.signal });
		await expect(call).rejects.toMatchObject({ code: "provider_unavailable" });
		expect(lab.lines).toEqual([]);
		expect(lab.provider.isConnected()).toBeNull();
	});

	test("calls end with the process", async () => {
		const ending = new AbortController();
		using lab = providerLab(() => new Promise<Response>(() => {}), { ending: ending.signal });
		const call = lab.provider.top(request);
		ending.abort();
		await expect(call).rejects.toMatchObject({ code: "provider_unavailable" });
	});

	test("the key is a header where there is one, and no header where there is none", async () => {
		using withKey = providerLab(page, { apiKey: "k-secret" });
		await withKey.provider.top(request);
		expect(withKey.seen[0]?.headers.get("x-api-key")).toBe("k-secret");
		expect(withKey.seen[0]?.query).not.toContain("k-secret");
		using without = providerLab(page);
		await without.provider.top(request);
		expect(without.seen[0]?.headers.has("x-api-key")).toBe(false);
	});

	test("an order to fill is sent once, whatever comes of it", async () => {
		for (const answer of [
			() => throttled({ "retry-after": "1" }),
			() => new Response("", { status: 500 }),
		]) {
			using lab = providerLab(answer);
			await expect(fulfil(lab)).rejects.toThrow();
			expect(lab.seen).toHaveLength(1);
		}
	});
});

function fulfil({ provider }: { provider: ReturnType<typeof providerLab>["provider"] }) {
	const listing = {
		chainId: 8453,
		protocolAddress: "0x0000000000000068f116a894984e2db1123eb395",
		orderHash: `0x${"ab".repeat(32)}`,
		fulfiller: "0x00000000000000000000000000000000000000b2",
	} as const;
	return provider.listingFulfilment(listing, request);
}
