// What pages do in the browser: times in the viewer's zone, copying, choosing many, rows of pairs.
(function () {
  "use strict";

  var exact = new Intl.DateTimeFormat(undefined, {
    year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit",
    second: "2-digit", hourCycle: "h23", timeZoneName: "short",
  });
  var units = [[86400000, "d"], [3600000, "h"], [60000, "min"], [1000, "s"]];

  // The same form for everyone, so that times stand below each other.
  function local(ms) {
    var date = new Date(ms);
    var two = function (value) { return String(value).padStart(2, "0"); };
    return date.getFullYear() + "-" + two(date.getMonth() + 1) + "-" + two(date.getDate()) + " "
      + two(date.getHours()) + ":" + two(date.getMinutes()) + ":" + two(date.getSeconds());
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
  function tellTimes(root) {
    root.querySelectorAll("time[data-ms]").forEach(function (element) {
      var ms = Number(element.dataset.ms);
      element.textContent = element.classList.contains("relative") ? away(ms) : local(ms);
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

  function countChosen(form) {
    var chosen = form.querySelectorAll("input[name=job]:checked").length;
    var bar = form.querySelector("[data-bulk]");
    if (!bar) return;
    bar.hidden = chosen === 0;
    form.querySelectorAll("[data-chosen]").forEach(function (place) { place.textContent = chosen; });
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
    } else if (target.dataset.opens) document.getElementById(target.dataset.opens).showModal();
    else if ("closes" in target.dataset) target.closest("dialog").close();
  });

  document.addEventListener("change", function (event) {
    var target = event.target;
    if (target.matches("[data-reads]")) readFile(target);
    if (target.matches("[data-all]")) {
      target.form.querySelectorAll("input[name=job]").forEach(function (box) { box.checked = target.checked; });
    }
    if (target.form && target.matches("[data-all],input[name=job]")) countChosen(target.form);
  });

  // Nobody looks at a page in the background: it need not look again by itself.
  document.addEventListener("htmx:beforeRequest", function (event) {
    var polls = (event.detail.elt.getAttribute("hx-trigger") || "").indexOf("every") === 0;
    if (polls && document.hidden) event.preventDefault();
  });
  document.addEventListener("htmx:afterSwap", function (event) {
    tellTimes(event.detail.target);
    document.querySelectorAll("form[data-many]").forEach(countChosen);
  });

  function compareClocks() {
    var place = document.querySelector("[data-clock]");
    if (!place) return;
    var ahead = Math.round((Date.now() - Number(place.querySelector("time").dataset.ms)) / 1000);
    var told = ahead > 0 ? ahead + " s ahead" : -ahead + " s behind";
    place.querySelector("span").textContent = Math.abs(ahead) < 2
      ? "(yours shows the same)" : "(yours is " + told + ")";
  }

  compareClocks();
  tellTimes(document);
  setInterval(function () { tellTimes(document); }, 5000);
  document.querySelectorAll("form[data-many]").forEach(countChosen);
})();
