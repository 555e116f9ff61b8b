import { expect, test } from "bun:test";
import { parseForeignUrl } from "#core/foreign/parseForeignUrl.ts";

const parse = (text: string, allowedOrigins: string[] = []) =>
	parseForeignUrl(text, { allowedOrigins, ports: [80, 443] });

test("a website's URL is read as browsers read it", () => {
	expect(parse("https://Example.com/a b".replace(" ", "%20"))).toMatchObject({
		host: "example.com",
		isAllowed: false,
	});
	expect(parse("http://example.com:80/#x").url.href).toBe("http://example.com/");
	expect(parse("https://bücher.example/").host).toBe("xn--bcher-kva.example");
	expect(parse("http://[2606:4700::1111]/").host).toBe("2606:4700::1111");
});

test("[SEC-05] URLs that are not a website's are refused before any name is looked up", () => {
	const refused = [
		"",
		"example.com",
		"//example.com/",
		"file:///etc/hostname",
		"data:,x",
		"s3://bucket/key",
		"ftp://example.com/",
		"gopher://example.com/",
		"http:example.com",
		"http:/example.com",
		"http:\\\\example.com\\",
		"http://example.com\\@127.0.0.1/",
		"http://user@example.com/",
		"http://user:secret@example.com/",
		"http://:@example.com@example.org/",
		"http://example.com:22/",
		"http://example.com:8080/",
		"https://example.com:99999/",
		"http://exam\nple.com/",
		"http://example.com/\u0000",
		" http://example.com/",
		"http://example.com/ x",
		"http://localhost/",
		"http://LOCALHOST./",
		"http://a.localhost/",
		"http://printer/",
		"http://metadata.google.internal/",
		"http://router.lan/",
		"http://nas.local/",
		"http://example.com./",
		"http://[::1%25lo]/",
		"http://[fe80::1%lo]/",
		"http://%00.example.com/",
		`http://example.com/${"x".repeat(2_048)}`,
		`http://example.com/${"é".repeat(1_000)}`,
	];
	for (const text of refused) expect(() => parse(text), text).toThrow("foreign_refused");
});

test("an origin that the operator named may be local; a neighbour of it may not", () => {
	const allowed = ["http://127.0.0.1:8080", "http://ipfs:8080"];
	expect(parse("http://127.0.0.1:8080/ipfs/a", allowed).isAllowed).toBe(true);
	expect(parse("http://ipfs:8080/ipfs/a", allowed).isAllowed).toBe(true);
	const neighbours = ["http://127.0.0.1:8081/", "https://127.0.0.1:8080/", "http://ipfs/"];
	for (const text of [...neighbours, "http://ipfs:8080@127.0.0.1:80/", "http://ipfs:80801/"]) {
		expect(() => parse(text, allowed), text).toThrow("foreign_refused");
	}
	expect(() => parse("http://x:y@127.0.0.1:8080/", allowed)).toThrow("foreign_refused");
});
