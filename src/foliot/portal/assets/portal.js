// Behaviour of pages: local times, copy buttons, dialogs, refreshes.
(function () {
  "use strict";

  var exact = new Intl.DateTimeFormat(undefined, {
    year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit",
    second: "2-digit", hourCycle: "h23", timeZoneName: "short",
  });
  var units = [[86400000, "d"], [3600000, "h"], [60000, "min"], [1000, "s"]];

  // The same format in every locale, so that times in a column line up.
  function local(ms) {
    var date = new Date(ms);
    var two = function (value) { return String(value).padStart(2, "0"); };
    return date.getFullYear() + "-" + two(date.getMonth() + 1) + "-" + two(date.getDate()) + " "
      + two(date.getHours()) + ":" + two(date.getMinutes()) + ":" + two(date.getSeconds());
  }
  function zoneAt(ms) {
    return exact.formatToParts(new Date(ms)).find(function (part) { return part.type === "timeZoneName"; }).value;
  }
  function utc(ms) {
    return new Date(ms).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
  }
  function away(ms) {
    var distance = Math.abs(ms - Date.now());
    for (var index = 0; index < units.length; index++) {
      var count = Math.floor(distance / units[index][0]);
      if (count) {
        var text = count + " " + units[index][1];
        return ms > Date.now() ? "in " + text : text + " ago";
      }
    }
    return "now";
  }
  function showTimes(root) {
    root.querySelectorAll("time[data-ms]").forEach(function (element) {
      var ms = Number(element.dataset.ms);
      var text = element.classList.contains("relative") ? away(ms) : local(ms);
      // Beside a time in another zone a time has its own.
      if (element.classList.contains("zoned")) text += " " + zoneAt(ms);
      // The time has passed, but only the server knows whether the job has run.
      if (element.classList.contains("upcoming") && ms <= Date.now()) text = "due now";
      if (element.textContent !== text) element.textContent = text;
      element.title = exact.format(ms) + " · " + utc(ms);
    });
  }

  function copy(button) {
    var source = document.querySelector(button.dataset.copy);
    var text = "value" in source ? source.value : source.textContent;
    var done = function () {
      var before = button.textContent;
      button.textContent = "Copied";
      setTimeout(function () { button.textContent = before; }, 1500);
    };
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(text).then(done, function () {});
      return;
    }
    var field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    if (document.execCommand("copy")) done();
    field.remove();
    button.focus();
  }

  // A refresh keeps opened attempts open and the scroll position on the same row.
  var saved = null;
  function savePosition(root) {
    var rows = Array.prototype.filter.call(root.querySelectorAll("summary[id]"), function (row) {
      return row.getBoundingClientRect().bottom > 0;
    });
    saved = {
      open: Array.prototype.map.call(root.querySelectorAll("details[open][id]"), function (each) { return each.id; }),
      row: window.scrollY > 0 && rows.length ? rows[0].id : "",
      top: rows.length ? rows[0].getBoundingClientRect().top : 0,
      across: Array.prototype.map.call(root.querySelectorAll(".scroll[id]"), function (each) { return [each.id, each.scrollLeft]; }),
    };
  }
  function restorePosition() {
    if (!saved) return;
    saved.open.forEach(function (id) {
      var found = document.getElementById(id);
      if (found) found.open = true;
    });
    saved.across.forEach(function (each) {
      var found = document.getElementById(each[0]);
      if (found) found.scrollLeft = each[1];
    });
    var row = saved.row && document.getElementById(saved.row);
    if (row) window.scrollBy(0, row.getBoundingClientRect().top - saved.top);
    saved = null;
  }

  function changeTheme() {
    var root = document.documentElement;
    var dark = root.dataset.theme
      ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("foliot-theme", root.dataset.theme); } catch (error) { /* this page only */ }
  }

  function readFile(input) {
    var file = input.files[0];
    var target = document.getElementById(input.dataset.reads);
    if (!file || !target) return;
    var reader = new FileReader();
    reader.onload = function () { target.value = String(reader.result).split(",")[1]; };
    reader.readAsDataURL(file);
  }

  document.addEventListener("click", function (event) {
    var target = event.target.closest("[data-copy],[data-theme-toggle],[data-add],[data-remove],[data-opens],[data-closes],[data-menu]");
    if (!target) return;
    if (target.dataset.copy) copy(target);
    else if ("themeToggle" in target.dataset) changeTheme();
    else if ("menu" in target.dataset) {
      var open = target.closest(".side").classList.toggle("open");
      target.setAttribute("aria-expanded", String(open));
    } else if (target.dataset.add) {
      var list = document.getElementById(target.dataset.add);
      list.append(document.getElementById(target.dataset.add + "-row").content.cloneNode(true));
      list.lastElementChild.querySelector("input,select").focus();
    } else if ("remove" in target.dataset) {
      var form = target.closest("form");
      target.parentElement.remove();
      form.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (target.dataset.opens) {
      // A link opens the page that says the same.
      event.preventDefault();
      var dialog = document.getElementById(target.dataset.opens);
      dialog.showModal();
      // Enter right after opening must not run or delete anything.
      dialog.querySelector("[data-closes]").focus();
    }
    else if ("closes" in target.dataset && target.closest("dialog")) {
      event.preventDefault();
      target.closest("dialog").close();
    }
  });

  document.addEventListener("change", function (event) {
    var target = event.target;
    if (target.matches("[data-reads]")) readFile(target);
  });

  // After a refresh focus returns to an element by its id; the links of a chart have none.
  function isOnChart(part) {
    var focused = document.activeElement;
    return part.contains(focused) && focused.matches("svg a");
  }
  // A page in a background tab does not refresh.
  document.addEventListener("htmx:beforeRequest", function (event) {
    var polls = (event.detail.elt.getAttribute("hx-trigger") || "").indexOf("every") === 0;
    if (polls && (document.hidden || isOnChart(event.detail.elt))) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", function (event) {
    if (event.detail.shouldSwap && event.detail.target.id === "live") savePosition(event.detail.target);
  });
  document.addEventListener("htmx:afterSwap", restorePosition);
  function compareClocks() {
    var element = document.querySelector("[data-clock]");
    if (!element) return;
    var ahead = Math.round((Date.now() - Number(element.querySelector("time").dataset.ms)) / 1000);
    var offset = ahead > 0 ? ahead + " s ahead" : -ahead + " s behind";
    element.querySelector("span").textContent = Math.abs(ahead) < 2
      ? "(your clock shows the same)" : "(your clock is " + offset + ")";
  }

  // On a narrow screen the tab of the page, and now on a timeline, may be beyond the edge.
  function showCurrent() {
    [[".tabs", "[aria-current]"], [".scroll.lanes", "svg .now"]].forEach(function (each) {
      var box = document.querySelector(each[0]), mark = box && box.querySelector(each[1]);
      if (!mark || box.scrollWidth <= box.clientWidth) return;
      var edge = mark.getBoundingClientRect(), around = box.getBoundingClientRect();
      if (edge.right > around.right) box.scrollLeft += edge.left + edge.width / 2 - around.left - around.width / 2;
    });
  }

  compareClocks();
  showCurrent();
  showTimes(document);
  setInterval(function () { showTimes(document); }, 1000);
  // Convert times before the browser paints them, whichever request added them.
  new MutationObserver(function (changes) {
    changes.forEach(function (change) {
      change.addedNodes.forEach(function (node) { if (node.querySelectorAll) showTimes(node); });
    });
  }).observe(document.body, { childList: true, subtree: true });
})();
