// planner/report/html/style.h: the style sheet of the page.
#pragma once

namespace dfsim::html {

inline constexpr const char* kStyle = R"css(
body{font:15px/1.45 system-ui,"DejaVu Sans",sans-serif;color:#1a1a1a;background:#fff;margin:0 auto;max-width:1080px;padding:0 20px 40px}
header{border-bottom:2px solid #00224e;margin-bottom:8px}
h1{font-size:24px;margin:18px 0 4px}
h2{font-size:19px;margin:28px 0 6px;color:#00224e}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;padding:0;margin:6px 0 10px}
a{color:#00508c}
.skip{position:absolute;left:-9999px}
.skip:focus{position:static}
.verdict{font-size:17px;margin:6px 0}
.tiles{display:flex;flex-wrap:wrap;gap:10px;margin:12px 0}
.tile{border:1px solid #b4b4b4;border-radius:6px;padding:8px 12px;min-width:120px}
.tile strong{display:block;font-size:18px}
.tile span{font-size:12px;color:#444}
.hint{font-size:13px;color:#444}
svg{display:block;max-width:100%;height:auto;margin:8px 0;font-family:system-ui,"DejaVu Sans",sans-serif}
.maps{display:flex;flex-wrap:wrap;gap:10px}
.switch>input{margin:0 4px 0 0}
.switch>label{margin-right:16px}
#map-time{width:360px;vertical-align:middle}
.switch>input:focus-visible+label,summary:focus-visible,a:focus-visible,.wide:focus-visible{outline:3px solid #d55e00;outline-offset:2px}
.view-utilisation,.view-stalls,.view-bytes{display:none}
#show-utilisation:checked~.maps .view-utilisation,#show-stalls:checked~.maps .view-stalls,#show-bytes:checked~.maps .view-bytes{display:inline}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;margin:8px 0}
caption{text-align:left;font-weight:bold;padding:4px 0}
th,td{border:1px solid #ccc;padding:3px 8px;text-align:right;font-variant-numeric:tabular-nums}
th[scope=row],thead th{background:#eef1f5;text-align:left;font-weight:600}
summary{cursor:pointer;padding:4px 0}
footer{border-top:1px solid #ccc;margin-top:30px;font-size:13px;color:#444}
@media print{body{max-width:none;font-size:11px}nav,.skip,.switch>input,.switch>label,#map-time-control{display:none}section{break-inside:avoid}svg,rect,path{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

}  // namespace dfsim::html
