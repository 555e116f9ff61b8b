import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { openApiDocument } from "#core/http/openApiDocument.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
test("the document names every route, its answer, and which of them need a session", () => {
	const app = new Elysia().use(own.fixture.identity.routes);
	const { paths, components } = openApiDocument({ app, version: "1", sandbox: false });
	const routes = Object.entries(paths).flatMap(([path, item]) =>
		Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
	);
	const named = routes.map(({ path, method }) => `${method} ${path.replace("/v1/trading", "")}`);
	expect(named.sort()).toEqual([
		"delete /profile/social",
		"delete /profile/wallets/{id}",
		"delete /session",
		"get /profile",
		"get /settings",
		"post /enrollment",
		"post /profile",
		"post /siwe/nonce",
		"post /siwe/verify",
	]);
	for (const { path, operation } of routes) {
		expect({ path, operation }).toMatchObject({ operation: { tags: ["trading"] } });
		expect(operation).toMatchObject({ summary: expect.any(String) });
		const isOpen = /settings|siwe/.test(path);
		const isGuarded = JSON.stringify(operation).includes('"session"');
		expect({ path, isGuarded }).toEqual({ path, isGuarded: !isOpen });
	}
	const text = JSON.stringify([paths, components.schemas]);
	for (const word of ["requireTradeConfirmation", "accessToken", "signature", "nonceSeconds"]) {
		expect(text).toContain(word);
	}
});
