/**
 * The page that shows the OpenAPI document. It has nothing inline, so its policy can forbid that.
 */
export const openApiPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tapeline API</title>
<link rel="icon" type="image/png" href="/openapi/assets/favicon-32x32.png">
<link rel="stylesheet" href="/openapi/assets/swagger-ui.css">
</head>
<body>
<main id="page"></main>
<noscript>The document itself is at <a href="/openapi/json">/openapi/json</a>.</noscript>
<script src="/openapi/assets/swagger-ui-bundle.js"></script>
<script src="/openapi/assets/start.js"></script>
</body>
</html>
`;
