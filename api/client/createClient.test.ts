import { afterAll, beforeAll, expect, test } from "bun:test";
import { createClient } from "#api/client/createClient.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";

let service: TestService;
beforeAll(async () => {
	service = await startTestService({ scanFrom: null });
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
});

test("a typed client calls every kind of route, with typed answers", async () => {
	const { v1 } = createClient(service.url);
	const market = v1["nft-market"];
	const list = await market.collections.get({ query: { mode: "top", limit: 5 } });
	expect(list.status).toBe(200);
	expect(list.data?.normalized.map(({ slug, floorNative }) => [slug, floorNative])).toEqual([]);
	expect(list.data?.freshness.servedAt).toEndWith("Z");
	const trending = await market.trending.get({ query: { window: "24h" } });
	expect(trending.data?.rows).toEqual([]);
});

test("[SEC-04] the typed client gets the problem document of a failed request", async () => {
	const market = createClient(service.url).v1["nft-market"];
	const missing = await market.collections({ slug: "nobody" }).get({ query: {} });
	expect(missing.data).toBeNull();
	expect(missing.status).toBe(404);
	expect(missing.error?.value).toMatchObject({ code: "not_found" });
	const wrong = await market["quote-estimate"].post({ slug: "nobody", quantity: 0 });
	expect(wrong.error?.value).toMatchObject({ code: "validation_error" });
});
