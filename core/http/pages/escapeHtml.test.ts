import { expect, test } from "bun:test";
import { escapeHtml } from "#core/http/pages/escapeHtml.ts";

test("no text becomes a tag, an attribute or an entity", () => {
	expect(escapeHtml(`<a href="x" b='y'>&amp;`)).toBe(
		"&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;",
	);
	expect(escapeHtml("plain ä€😀")).toBe("plain ä€😀");
});
